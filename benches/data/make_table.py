#!/usr/bin/env python3
"""Write the table that the reading benchmark is about: 1,000,000 rows, 20 mixed columns, fixed seed.

    make_table.py FILE [ROWS]

Integers of few and of many values, floats of two to sixteen digits, truth values, short and long categories (one quoted
with commas inside), a date, an id, and gaps of 1 to 10 per cent. Needs only the standard library.
"""
import datetime
import random
import sys

CITIES = ["Oslo", "Bergen", "Trondheim", "Stavanger", "Kristiansand", "Tromsø", "Drammen", "Bodø"]
PLANS = ["basic monthly subscription", "family annual subscription", "student discount subscription", "trial"]
TEAMS = [f"team {number:03}" for number in range(120)]
NOTES = ['"late, paid in full"', '"on time"', '"late, reminder sent, paid"', '"never paid, written off"']
HEADER = ("id,age,children,income,score,balance,ratio,price,city,plan,team,note,active,member,code,visits,joined,"
          "rate,weight,label")


def rows(count):
    rng = random.Random(20261115)
    day0 = datetime.date(2015, 1, 1)
    days = [(day0 + datetime.timedelta(days=k)).isoformat() for k in range(3650)]
    gap = lambda share, cell: "" if rng.random() < share else cell
    for number in range(count):
        age = rng.randint(18, 95)
        income = rng.lognormvariate(10.5, 0.6)
        yield (
            f"{number + 1},{age},{min(9, int(rng.expovariate(0.9)))},{gap(0.03, format(income, '.2f'))},"
            f"{rng.gauss(0, 1):.6f},{gap(0.10, format(rng.uniform(-5000, 250000), '.2f'))},{rng.random()!r},"
            f"{rng.randint(1, 40) * 2.5:.1f},{CITIES[min(7, int(rng.expovariate(0.5)))]},"
            f"{gap(0.05, PLANS[rng.randrange(4)])},{TEAMS[rng.randrange(120)]},{NOTES[rng.randrange(4)]},"
            f"{rng.randrange(2)},{'yes' if rng.random() < 0.3 else 'no'},{rng.randrange(100000, 999999)},"
            f"{gap(0.01, str(rng.randrange(2000)))},{days[rng.randrange(3650)]},{rng.gauss(50, 10):.3f},"
            f"{rng.gauss(70, 12):.1f},{'churned' if age > 60 and rng.random() < 0.6 else 'stays'}\n"
        )


def main():
    path, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(HEADER + "\n")
        file.writelines(rows(count))


if __name__ == "__main__":
    main()
