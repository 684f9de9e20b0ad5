"""Lines and times of the first task, for every program that is installed: prints a table.

    python bench/python/first_task.py [LAPS]

Lines are those that hold code, without imports. Times are processor time of the whole process, all threads, imports
included; the programs in turn, the fastest lap.
"""

import ast
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TASKS = ["holonomy", "formula", "heyoka", "mujoco", "rebound", "kepler"]


def lines(path):
    """Lines of code: without blanks, comments, texts of documentation and imports."""
    text = path.read_text()
    left = set()
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) or (node is tree.body[0] and isinstance(node, ast.Expr)):
            continue
        if ast.unparse(node).startswith("matplotlib.use"):
            continue
        left.update(range(node.lineno, node.end_lineno + 1))
    listed = text.splitlines()
    return sum(1 for k in left if listed[k - 1].strip() and not listed[k - 1].strip().startswith("#"))


def spent(path):
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, path, folder], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.strip()


def main():
    laps = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    best = {}
    for _ in range(laps):
        for task in TASKS:
            time, said = spent(HERE / f"first_task_{task}.py")
            if time is None:
                best[task] = (None, said)
            elif task not in best or best[task][0] is None or time < best[task][0]:
                best[task] = (time, said)
    print("| program | lines | processor time | energy error, angle or x at twice the time, in the last case |")
    print("|---|---|---|---|")
    for task, (time, said) in best.items():
        shown = "–" if time is None else f"{time:.2f} s"
        print(f"| {task} | {lines(HERE / f'first_task_{task}.py')} | {shown} | {said} |")


if __name__ == "__main__":
    main()
