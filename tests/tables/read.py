"""Reads tables of runs and sweeps with pandas, polars and DuckDB, and compares them bit by bit with what the command writes
as text: CSV, `summary.json`, `sweep.json`.

    python read.py --holonomy target/release/holonomy --work target/tables/work
"""

import argparse
import csv
import json
import math
import shutil
import struct
import subprocess
from pathlib import Path

import duckdb
import pandas
import polars

RUNS = [
    # Bodies on spheres, a tree with constraints and what it records by name, a driven Lagrangian with works.
    "spherical-pendulum --steps 20000 --every 3",
    "four-bar --steps 700 --every 7",
    "damped-pendulum --steps 2000 --every 3",
]
# Numbers and words as axes, a case that is refused, and measures that do not exist everywhere.
SWEEPS = [
    ("spherical-pendulum --method sphere-explicit --steps 50", ["body.bob.angular_velocity.2=1:2.4:1200"]),
    (
        "plane-pendulum --duration 3 --measure=first(theta>2) --measure=max(theta)",
        ["method.name=midpoint,rk4,trapezoid", "run.step=0.01,-1,0.02", "start.theta=0.1:3:4"],
    ),
]


def bits(value):
    """A value so that only the same bits are equal; nothing stays nothing."""
    if value is None or value is pandas.NA:
        return None
    return struct.pack("<d", value) if isinstance(value, float) else value


def by_pandas(path):
    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    return {name: frame[name].tolist() for name in frame.columns}


def by_polars(path):
    frame = polars.read_parquet(path)
    return {name: frame[name].to_list() for name in frame.columns}


def by_duckdb(path):
    found = duckdb.sql(f"SELECT * FROM '{path}'")
    rows = found.fetchall()
    return {name: [row[k] for row in rows] for k, name in enumerate(found.columns)}


READERS = {"pandas": by_pandas, "polars": by_polars, "DuckDB": by_duckdb}


class Comparison:
    def __init__(self, command, work):
        self.command, self.work, self.values = command, work, 0

    def run(self, arguments):
        done = subprocess.run([self.command, *arguments], cwd=self.work, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"holonomy {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def same(self, path, expected):
        """All readers find the expected columns, in their order."""
        for reader, read in READERS.items():
            found = read(path)
            if list(found) != list(expected):
                raise SystemExit(f"{reader} reads other columns from {path}: {list(found)}")
            for name, column in expected.items():
                pairs = list(zip(map(bits, found[name]), map(bits, column)))
                if len(found[name]) != len(column):
                    raise SystemExit(f"{reader} reads {len(found[name])} rows of {name} from {path}, not {len(column)}")
                for row, (one, other) in enumerate(pairs):
                    if one != other:
                        raise SystemExit(
                            f"{reader} reads {found[name][row]!r} as {name} of row {row} from {path}, not {column[row]!r}"
                        )
                self.values += len(column)


def columns_of_csv(path):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        return dict(zip(names, (list(map(float, column)) for column in zip(*rows))))


def compare_runs(comparison):
    for number, run in enumerate(RUNS):
        for end in ["csv", "parquet"]:
            comparison.run(
                ["run", *run.split(), "--format", end, "--certify", "none", "--out", f"run-{number}-{end}", "--quiet"]
            )
        expected = columns_of_csv(comparison.work / f"run-{number}-csv/trajectory.csv")
        comparison.same(comparison.work / f"run-{number}-parquet/trajectory.parquet", expected)


def compare_trajectories(comparison):
    sweep = "sweep plane-pendulum --vary start.theta=0.1,2.9 --duration 3 --trajectories --quiet"
    for end in ["csv", "parquet"]:
        comparison.run([*sweep.split(), "--format", end, "--out", f"kept-{end}"])
    for case in ["000000", "000001"]:
        expected = columns_of_csv(comparison.work / f"kept-csv/cases/{case}.csv")
        comparison.same(comparison.work / f"kept-parquet/cases/{case}.parquet", expected)


def compare_sweeps(comparison):
    for number, (model, axes) in enumerate(SWEEPS):
        name, *flags = model.split()
        vary = [word for axis in axes for word in ("--vary", axis)]
        out = f"sweep-{number}"
        comparison.run(["sweep", name, *flags, *vary, "--out", out, "--quiet"])
        path = comparison.work / out / "cases.parquet"
        described = json.loads((comparison.work / out / "sweep.json").read_text())
        tables = {reader: read(path) for reader, read in READERS.items()}
        table = tables["pandas"]
        if list(table) != described["columns"] or len(table["case"]) != described["cases"]:
            raise SystemExit(f"{path} is not what sweep.json says")
        comparison.same(path, table)
        if number == 1 and table["structure"].count("refused") != 12:
            raise SystemExit(f"{path} does not have 12 refused cases")
        keys = [axis["key"] for axis in described["axes"]]
        runs = [flag for flag in flags if not flag.startswith("--measure")]
        cases = range(0, described["cases"], max(1, described["cases"] // 12))
        for case in cases:
            if table["structure"][case] == "refused":
                missing = [table[name][case] for name in ("steps", "t_end", "energy.final")]
                assert all(map(lambda value: bits(value) is None, missing)), missing
                continue
            settings = [word for key in keys for word in ("--set", setting(key, table[key][case]))]
            alone = json.loads(
                comparison.run(["run", name, *runs, *settings, "--certify", "none", "--no-files", "--json", "--quiet"])
            )
            pairs = {
                "steps": float(alone["steps"]),
                "t_end": alone["t_end"],
                "energy.initial": alone["energy"]["initial"],
                "energy.final": alone["energy"]["final"],
            }
            if number == 0:
                ends = [column for column in table if column.startswith("final.")]
                pairs.update(zip(ends, alone["final_state"]["q"] + alone["final_state"]["omega"]))
            for figure, value in pairs.items():
                for reader, found in tables.items():
                    if bits(found[figure][case]) != bits(float(value)):
                        raise SystemExit(f"{reader} reads {found[figure][case]!r} as {figure} of case {case}, not {value!r}")
                    comparison.values += 1


def setting(key, value):
    return f"{key}={value!r}" if isinstance(value, float) else f'{key}="{value}"'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--holonomy", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    comparison = Comparison(arguments.holonomy.resolve(), arguments.work.resolve())
    assert bits(0.0) != bits(-0.0) and bits(math.nan) == bits(math.nan)
    compare_runs(comparison)
    compare_trajectories(comparison)
    compare_sweeps(comparison)
    print(f"   {comparison.values} values of runs and sweeps have the same bits by {', '.join(READERS)}")


main()
