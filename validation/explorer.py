"""Attacks the explorer, and asks it meanwhile as somebody who was let in.

Two processes attack; this one asks: every second question on a new connection, every second one on a connection that stays. A line of the
table is one attack; what counts is how long the answers took. Fails where 99 of 100 are not within 100 ms, or one took over a second.
"""
import argparse
import multiprocessing
import os
import platform
import resource
import select
import socket
import subprocess
import sys
import time

QUESTION = b'{"evidence": {"HR": "HIGH"}}'


def nonblocking(address):
    """A connection under way; nothing where the kernel gives no more."""
    stream = socket.socket()
    stream.setblocking(False)
    try:
        stream.connect_ex(address)
    except OSError:
        stream.close()
        return None
    return stream


def nothing(address, head, token, until):
    while time.time() < until:
        time.sleep(0.05)


def slow_readers(address, head, token, until):
    """Let in, ask for the largest document again and again, and take a byte now and then."""
    request = f"GET /api/network HTTP/1.1\r\n{head}{token}\r\n".encode() * 50
    streams = []
    for _ in range(150):
        stream = socket.socket()
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.settimeout(5)
        stream.connect(address)
        stream.setblocking(False)
        streams.append(stream)
    while time.time() < until:
        for stream in streams:
            for step in (lambda: stream.send(request), lambda: stream.recv(1)):
                try:
                    step()
                except OSError:
                    pass
        time.sleep(0.2)


def fill(streams, address, most):
    """Opens connections until there are so many, or no more are to be had."""
    while len(streams) < most:
        stream = nonblocking(address)
        if stream is None:
            break
        streams.append(stream)


def half_open(address, head, token, until):
    """Half a request and no more; whoever is turned away comes again."""
    streams = []
    while time.time() < until:
        fill(streams, address, 500)
        kept = []
        for stream in streams:
            try:
                stream.send(f"GET / HTTP/1.1\r\n{head}X-".encode()[:1])
                if stream.recv(4096, socket.MSG_PEEK):
                    raise ConnectionResetError
                stream.close()
            except BlockingIOError:
                kept.append(stream)
            except OSError:
                stream.close()
        streams = kept
        time.sleep(0.02)


def pipelines(address, head, token, until):
    """Without a token: requests after requests, and nothing is ever read."""
    request = f"GET / HTTP/1.1\r\n{head}\r\n".encode() * 500
    streams = []
    while time.time() < until:
        fill(streams, address, 256)
        kept = []
        for stream in streams:
            try:
                stream.send(request)
                kept.append(stream)
            except BlockingIOError:
                kept.append(stream)
            except OSError:
                stream.close()
        streams = kept
        time.sleep(0.02)


def crowd(address, head, token, until):
    """5,000 connections each, as fast as they go, held; a third of them asks without a token. Closed ones are not opened again at once."""
    request = f"GET / HTTP/1.1\r\n{head}\r\n".encode()
    streams = []
    while time.time() < until:
        for number in range(5000):
            stream = nonblocking(address)
            if stream is None:
                break
            streams.append(stream)
            if number % 3 == 0:
                try:
                    select.select([], [stream], [], 0)
                    stream.send(request)
                except (OSError, ValueError):
                    pass
            if time.time() > until:
                break
        time.sleep(1)
        for stream in streams:
            stream.close()
        streams = []


def read_answer(stream):
    """The status of one answer, read whole."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = stream.recv(65536)
        if not more:
            raise ConnectionError("closed before the answer")
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    while len(body) < length:
        more = stream.recv(65536)
        if not more:
            raise ConnectionError("closed within the answer")
        body += more
    return int(head.split(b" ")[1])


def connect(address):
    stream = socket.create_connection(address, timeout=5)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def ask_until(address, head, token, until):
    """Milliseconds of every answer, and how many questions had none."""
    times, failed = [], 0
    request = f"POST /api/posteriors HTTP/1.1\r\n{head}{token}Content-Type: application/json\r\nContent-Length: {len(QUESTION)}\r\n".encode()
    staying = None
    while time.time() < until:
        start = time.perf_counter()
        try:
            with connect(address) as stream:
                stream.sendall(request + b"Connection: close\r\n\r\n" + QUESTION)
                failed += read_answer(stream) != 200
        except OSError:
            failed += 1
        times.append(1000 * (time.perf_counter() - start))
        start = time.perf_counter()
        try:
            staying = staying or connect(address)
            staying.sendall(request + b"\r\n" + QUESTION)
            failed += read_answer(staying) != 200
        except OSError:
            failed += 1
            staying = None
        times.append(1000 * (time.perf_counter() - start))
        time.sleep(0.005)
    return times, failed


ATTACKS = [
    ("nobody attacks", nothing),
    ("300 slow readers who were let in", slow_readers),
    ("1,000 half-open connections, coming again", half_open),
    ("512 pipelines without a token, never read", pipelines),
    ("10,000 connections at once, again every second", crowd),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=8)
    args = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Of the attackers alone: the server keeps what a shell gives it.
    files = min(hard, 12000)
    server = subprocess.Popen([args.program, "explore", "@alarm", "--no-open", "--quiet"], stdout=subprocess.PIPE, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard)))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    try:
        url = server.stdout.readline().strip()
        host, port = url.split("/")[2].split(":")
        address, head = (host, int(port)), f"Host: {host}:{port}\r\n"
        token = f"Authorization: Bearer {url.split('token=')[1]}\r\n"
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
        print("# The explorer under attack\n")
        print(f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, commit {commit}, {cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
              f"Linux {platform.release()}; @alarm, questions of one client beside two processes that attack, {args.seconds:.0f} s each; milliseconds.\n")
        print("| attack | questions | without answer | median | 99 of 100 within | longest |")
        print("|---|---|---|---|---|---|", flush=True)
        good = True
        for name, attack in ATTACKS:
            until = time.time() + args.seconds
            attackers = [multiprocessing.Process(target=attack, args=(address, head, token, until)) for _ in range(2)]
            for attacker in attackers:
                attacker.start()
            times, failed = ask_until(address, head, token, until)
            for attacker in attackers:
                attacker.join()
            times.sort()
            middle, late = times[len(times) // 2], times[int(0.99 * (len(times) - 1))]
            print(f"| {name} | {len(times)} | {failed} | {middle:.1f} | {late:.1f} | {times[-1]:.1f} |", flush=True)
            good &= late < 100 and times[-1] < 1000 and failed == 0
            time.sleep(0.5)
        open_now = len(os.listdir(f"/proc/{server.pid}/fd"))
        print(f"\nFiles the server has open afterwards: {open_now}. " + ("All within 100 ms (99 of 100), nobody waited a second, every question answered." if good else "NOT within the bounds."))
        sys.exit(0 if good else 1)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
