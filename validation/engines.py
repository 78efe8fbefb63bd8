"""Rows of alarm in forty files, learned by two threads and by two workers of Dask, one of them killed on the way. See engines.sh."""

import hashlib
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PARTS = 40
FILES = ["network.json", "network.bif", "edges.csv", "strengths.csv", "clauses.json"]


def sha(folder):
    """Of all that a run leaves behind but how long it took."""
    content = b"".join((folder / name).read_bytes() for name in FILES)
    run = json.loads((folder / "run.json").read_text())
    run.pop("seconds")
    return hashlib.sha256(content + json.dumps(run).encode()).hexdigest()[:16]


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak():
    """The most that was resident of this process, in MiB; what `getrusage` says may be that of the process which started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def learn(table, run, **how):
    import clausality as cl

    start, used = time.monotonic(), cpu()
    cl.learn(table, run=run, progress=False, **how)
    return dict(wall=time.monotonic() - start, cpu=cpu() - used, peak=peak(), sha=sha(Path(run)))


def with_threads(table, run, threads):
    return learn(table, run, threads=threads)


def look(client, stop, waits):
    """How long the scheduler takes to say what its workers do, ten times a second."""
    while not stop.wait(0.1):
        start = time.monotonic()
        client.scheduler_info()
        client.processing()
        waits.append(time.monotonic() - start)


def kill(client, killed):
    """Kills a worker while it counts."""
    address, process = min(client.run(os.getpid).items())
    seen = 0
    while seen < 3:
        counting = any("said" in str(key) for key in client.processing().get(address, ()))
        seen = seen + 1 if counting else 0
        time.sleep(0.2)
    os.kill(process, signal.SIGKILL)
    killed.append(process)


def with_dask(table, run, workers, killing):
    from distributed import Client, LocalCluster, get_task_stream
    from distributed.security import Security

    local = dict(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, security=Security.temporary())
    with LocalCluster(**local) as cluster, Client(cluster, security=cluster.security) as client:
        waits, stop, killed = [], threading.Event(), []
        threading.Thread(target=look, args=[client, stop, waits], daemon=True).start()
        if killing:
            threading.Thread(target=kill, args=[client, killed], daemon=True).start()
        before = client.run(cpu)
        with get_task_stream(client=client) as stream:
            found = learn(table, run, client=client)
        stop.set()
        of_workers = sum(used - before.get(address, 0) for address, used in client.run(cpu).items())
        tasks = {}
        for task in stream.data:
            for part in task["startstops"]:
                if part["action"] == "compute":
                    tasks.setdefault(task["key"].split("-")[0], []).append(part["stop"] - part["start"])
        found.update(of_workers=of_workers, tasks=tasks, waits=waits, killed=len(killed), of_worker=max(client.run(peak).values()))
    return found


def apart(*words):
    """The same in a process of its own, so that its memory is its own."""
    done = subprocess.run([sys.executable, __file__, "--apart", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def shown(name, found, before=None):
    all_cpu = found["cpu"] + found.get("of_workers", 0)
    # The CPU seconds of a worker that was killed are gone with it: a ratio of the others' would be too low.
    of_cpu = "–" if found.get("killed") else f"{all_cpu / before['cpu']:.2f}" if before else ""
    ratio = f"{of_cpu} ({found['wall'] / before['wall']:.2f})" if before else ""
    print(f"| {name} | {found['wall']:.0f} | {found['cpu']:.0f} | {found.get('of_workers', 0):.0f} | {ratio} | {found['peak']:.0f} | {found.get('of_worker', 0):.0f} | `{found['sha']}` |", flush=True)


def main():
    program, rows = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 20_000_000
    print(f"# {rows:,} rows of alarm in {PARTS} files: two threads, and workers of Dask\n")
    print(f"{time.strftime('%F')}, {platform.processor() or platform.machine()}, {os.cpu_count()} cores; load average before {os.getloadavg()[0]:.1f}.")
    print("One run each. Two threads code on one core, two workers on two: that is part of the wall ratio, not of the CPU ratio.")
    print("The scheduler of the `LocalCluster` (loopback, temporary TLS, no dashboard) runs in the driver's process, and counts as the driver's.\n")
    with tempfile.TemporaryDirectory(dir=os.environ.get("AT")) as folder:
        table = Path(folder) / "parts"
        table.mkdir()
        for k in range(PARTS):
            subprocess.run([program, "sample", "@alarm", "-n", str(rows // PARTS), "--seed", str(k), "-o", table / f"part-{k}.csv", "--quiet"], check=True)
        size = sum(path.stat().st_size for path in table.iterdir())
        print(f"{size / 1e9:.2f} GB of CSV. Ratios are those to the two threads.\n")
        print("| by | wall s | driver's CPU s | workers' CPU s | CPU ratio (wall) | driver's peak MiB | a worker's peak MiB | SHA-256 of the run |")
        print("|---|---|---|---|---|---|---|---|")
        here = apart("threads", table, Path(folder) / "threads", 2)
        shown("2 threads", here)
        found = {}
        for workers, killing in [(2, False), (2, True), (1, False), (4, False)]:
            name = f"{workers} worker{'s' * (workers > 1)}" + ", one killed" * killing
            found[name] = apart("dask", table, Path(folder) / f"dask-{workers}-{killing}", workers, int(killing))
            shown(name + (" (not in time)" if killing and not found[name]["killed"] else ""), found[name], here)
        print(f"\nLoad average after: {os.getloadavg()[0]:.1f}.\n")
        print("| by | task | how many | median s | longest s | all s |")
        print("|---|---|---|---|---|---|")
        for name, one in found.items():
            for task, seconds in sorted(one["tasks"].items()):
                print(f"| {name} | `{task}` | {len(seconds)} | {statistics.median(seconds):.2f} | {max(seconds):.2f} | {sum(seconds):.1f} |")
        print("\n| by | scheduler asked what its workers do, times | median ms | longest ms |")
        print("|---|---|---|---|")
        for name, one in found.items():
            waits = [1000 * wait for wait in one["waits"]]
            print(f"| {name} | {len(waits)} | {statistics.median(waits):.1f} | {max(waits):.0f} |")
        same = {here["sha"], *(one["sha"] for one in found.values())}
        print(f"\n{'All runs are the same to the last byte.' if len(same) == 1 else 'RUNS DIFFER.'}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--apart"]:
        _, _, how, table, run, number, *killing = sys.argv
        found = with_threads(table, run, int(number)) if how == "threads" else with_dask(table, run, int(number), killing == ["1"])
        print(json.dumps(found))
    else:
        main()
