#!/usr/bin/env python3
"""What wrk measured, as a page with date, commit and machine."""
import argparse, datetime, os, platform, re

p = argparse.ArgumentParser(description=__doc__)
p.add_argument("work"); p.add_argument("--model"); p.add_argument("--bytes", type=int); p.add_argument("--commit"); p.add_argument("--load")
a = p.parse_args()


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[unit]


def figures(name):
    with open(os.path.join(a.work, name)) as f:
        text = f.read()
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    half, late = (milliseconds(re.search(rf"\s{share}%\s+(\S+)", text)[1]) for share in (50, 99))
    other = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    socket = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    errors = int(other[1]) if other else 0
    return rate, half, late, errors + (sum(map(int, socket.groups())) if socket else 0)


def machine():
    with open("/proc/cpuinfo") as f:
        name = re.search(r"model name\s*: (.*)", f.read())
    return name[1] if name else platform.processor()


network, posteriors = figures("network"), figures("posteriors")
met = network[0] >= 2000 and network[2] <= 25 and network[3] == 0
print(f"# Explorer under load, {datetime.date.today()}, commit {a.commit}\n")
print(f"- {machine()}, {os.cpu_count()} cores, shared by server and wrk; kernel {platform.release()}; load before {a.load}")
print(f"- {a.model}; the document has {a.bytes:,} bytes; wrk on loopback, with the cookie\n")
print("Required of `GET /api/network` over 50 connections: at least 2,000 requests a second, no error, 99 of 100 within 25 ms: "
      f"{'met' if met else 'NOT met'}.\n")
print("| request | connections | requests a second | median, ms | 99 of 100 within, ms | errors |")
print("|---|---:|---:|---:|---:|---:|")
for what, connections, (rate, half, late, errors) in [("`GET /api/network`", 50, network), ("`POST /api/posteriors`", 4, posteriors)]:
    print(f"| {what} | {connections} | {rate:,.0f} | {half:.2f} | {late:.2f} | {errors} |")
