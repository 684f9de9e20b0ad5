"""Sweeps on two worker processes of Dask: the files and the digest of a local sweep, whatever dies meanwhile."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import holonomy as hl
from holonomy import cluster as on_cluster

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'holonomy[dask]'")

AXES = {"body.upper.mass": hl.linspace(1, 5, 10), "body.lower.length": hl.linspace(0.5, 1.5, 10)}
DURATION = 40


@pytest.fixture(scope="module")
def workers():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@pytest.fixture
def client(workers):
    with distributed.Client(workers) as made:
        made.wait_for_workers(2, timeout=600)
        yield made


@pytest.fixture(scope="module")
def ensemble():
    return hl.load("double-spherical-pendulum").replace(duration=DURATION).ensemble(AXES)


@pytest.fixture(scope="module")
def local(ensemble, tmp_path_factory):
    folder = tmp_path_factory.mktemp("local") / "sweep"
    ensemble.run(out=folder, threads=1)
    return folder


def digest(folder) -> str:
    return hashlib.sha256((Path(folder) / "cases.parquet").read_bytes()).hexdigest()


def names(folder) -> list[str]:
    return sorted(path.name for path in Path(folder).rglob("*"))


def parts(folder) -> dict[str, tuple[int, int]]:
    found = {}
    for path in sorted((Path(folder) / "parts").glob("part-*.jsonl")):
        status = path.stat()
        found[path.name] = (status.st_ino, status.st_mtime_ns)
    return found


def wait_for_parts(folder, count: int) -> dict[str, tuple[int, int]]:
    end = time.monotonic() + 600
    while len(parts(folder)) < count:
        assert time.monotonic() < end, "the workers have made no parts"
        time.sleep(0.01)
    return parts(folder)


def in_another_process(address: str, folder) -> subprocess.Popen:
    """The same sweep, by a client that can be killed."""
    program = f"""
        import distributed, holonomy as hl
        ensemble = hl.load("double-spherical-pendulum").replace(duration={DURATION}).ensemble({AXES!r})
        with distributed.Client({address!r}) as client:
            ensemble.run(out={str(folder)!r}, client=client)
    """
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stderr=subprocess.DEVNULL)


def kept_until_the_end(folder, before):
    """A function for `progress` that sees whether parts that were finished stay what they are."""
    seen = []

    def look(done, total):
        now = parts(folder)
        seen.append(all(now.get(name, status) == status for name, status in before.items()))

    return look, seen


def test_same_files_and_digest_as_a_local_sweep(client, ensemble, local, tmp_path):
    shown = []
    cases = ensemble.run(out=tmp_path / "a", client=client, progress=lambda done, total: shown.append((done, total)))
    assert len(cases) == 100
    assert digest(tmp_path / "a") == digest(local)
    assert names(tmp_path / "a") == names(local)
    assert (tmp_path / "a/sweep.json").read_bytes() == (local / "sweep.json").read_bytes()
    assert shown[-1] == (100, 100)


def test_same_digest_as_the_command(local, tmp_path):
    words = ["sweep", "double-spherical-pendulum", "--duration", str(DURATION), "--out", str(tmp_path / "command")]
    for key, values in AXES.items():
        words += ["--vary", f"{key}={values}"]
    program = f"import sys; from holonomy import _engine; sys.exit(_engine.command({words!r}))"
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert digest(tmp_path / "command") == digest(local)
    assert names(tmp_path / "command") == names(local)


def test_a_killed_worker_loses_nothing(workers, client, ensemble, local, tmp_path):
    victim = next(iter(workers.workers.values())).pid
    killed = []

    def progress(done, total):
        if done >= 20 and not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    ensemble.run(out=tmp_path / "a", client=client, progress=progress)
    assert killed
    assert digest(tmp_path / "a") == digest(local)
    assert names(tmp_path / "a") == names(local)


def test_a_killed_client_goes_on(workers, client, ensemble, local, tmp_path):
    other = in_another_process(workers.scheduler_address, tmp_path / "a")
    wait_for_parts(tmp_path / "a", 10)
    other.kill()
    other.wait()
    before = wait_for_parts(tmp_path / "a", 10)
    assert len(before) < 100, "the sweep is too short for this test"
    look, seen = kept_until_the_end(tmp_path / "a", before)
    ensemble.run(out=tmp_path / "a", client=client, progress=look)
    assert seen and all(seen)
    assert digest(tmp_path / "a") == digest(local)


def test_a_local_run_finishes_what_workers_began(workers, client, ensemble, local, tmp_path):
    other = in_another_process(workers.scheduler_address, tmp_path / "a")
    wait_for_parts(tmp_path / "a", 10)
    other.kill()
    other.wait()
    before = parts(tmp_path / "a")
    look, seen = kept_until_the_end(tmp_path / "a", before)
    ensemble.run(out=tmp_path / "a", progress=look)
    assert seen and all(seen)
    assert digest(tmp_path / "a") == digest(local)


def test_workers_finish_what_a_local_run_began(client, ensemble, local, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        # Ctrl-C after a moment, as soon as there are parts.
        def interrupt(done, total):
            if done >= 20:
                os.kill(os.getpid(), signal.SIGINT)

        ensemble.run(out=tmp_path / "a", threads=1, progress=interrupt)
    before = {name: status for name, status in list(parts(tmp_path / "a").items())[:10]}
    assert before
    look, seen = kept_until_the_end(tmp_path / "a", before)
    ensemble.run(out=tmp_path / "a", client=client, progress=look)
    assert seen and all(seen)
    assert digest(tmp_path / "a") == digest(local)


def test_a_finished_sweep_is_read(client, ensemble, local):
    before = (local / "cases.parquet").stat().st_mtime_ns
    assert len(ensemble.run(out=local, client=client)) == 100
    assert len(ensemble.run(out=local)) == 100
    assert (local / "cases.parquet").stat().st_mtime_ns == before


def test_another_sweep_is_refused(client, local):
    other = hl.load("double-spherical-pendulum").replace(duration=1).ensemble(AXES)
    with pytest.raises(hl.SweepError, match="another sweep"):
        other.run(out=local, client=client)


def test_a_closed_client(workers, ensemble, tmp_path):
    client = distributed.Client(workers)
    client.close()
    with pytest.raises(hl.SweepError, match="client is closed: open another"):
        ensemble.run(out=tmp_path / "a", client=client)
    assert not (tmp_path / "a").exists()


def test_a_client_that_is_closed_meanwhile(workers, ensemble, tmp_path):
    client = distributed.Client(workers)
    with pytest.raises(hl.SweepError, match="the same call goes on"):
        ensemble.run(out=tmp_path / "a", client=client, progress=lambda done, total: client.close())


def test_what_is_no_client(ensemble, tmp_path):
    with pytest.raises(TypeError, match=r"distributed\.Client"):
        ensemble.run(out=tmp_path / "a", client="localhost")


def test_workers_of_another_version(client, ensemble, tmp_path, monkeypatch):
    monkeypatch.setattr(on_cluster, "_version", _another_version)
    with pytest.raises(hl.SweepError, match=r"has holonomy .*, the client 9\.9\.9: install the same everywhere"):
        ensemble.run(out=tmp_path / "a", client=client)
    assert not (tmp_path / "a").exists()


def test_a_worker_of_another_version_that_comes_later(tmp_path):
    with pytest.raises(hl.SweepError, match="install the same everywhere"):
        on_cluster.make_part(0, b"", str(tmp_path), "9.9.9", "")


def test_a_worker_that_does_not_see_the_folder(tmp_path):
    with pytest.raises(hl.SweepError, match="that the client and all workers share"):
        on_cluster.make_part(0, b"", str(tmp_path), hl.__version__, "of the client")


def test_a_folder_that_cannot_be_written(client, ensemble, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="the same command goes on|cannot"):
        ensemble.run(out=tmp_path / "file" / "a", client=client)


def test_without_a_folder(client, ensemble):
    with pytest.raises(ValueError, match="say where, `out=…`"):
        ensemble.run(client=client)


def test_a_case_that_fails_is_a_row(client, tmp_path):
    model = hl.load("double-spherical-pendulum").replace(duration=1)
    cases = model.ensemble({"body.upper.mass": [1, -1, 2]}).run(out=tmp_path / "a", client=client)
    assert cases.failed.tolist() == [1]
    assert "must be positive" in cases["message"][1]
    assert cases["message"][0] == ""


def test_cases_of_a_table(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("body.bob.mass,run.step\n1,0.01\n2,0.02\n")
    ensemble = hl.load("spherical-pendulum").replace(duration=1).ensemble("mine.csv")
    assert len(ensemble.run(out="a", client=client)) == 2
    ensemble.run(out="b")
    assert digest("a") == digest("b")


def test_whole_trajectories(client, tmp_path):
    model = hl.load("spherical-pendulum").replace(duration=1)
    ensemble = model.ensemble({"body.bob.mass": [1, 2, 3]}, trajectories=1)
    ensemble.run(out=tmp_path / "a", client=client)
    ensemble.run(out=tmp_path / "b")
    assert names(tmp_path / "a") == names(tmp_path / "b")
    for path in (tmp_path / "a/cases").iterdir():
        assert path.read_bytes() == (tmp_path / "b/cases" / path.name).read_bytes()


def test_what_a_killed_worker_leaves_is_removed(ensemble, local, tmp_path):
    shutil.copytree(local, tmp_path / "a")
    (tmp_path / "a/parts").mkdir()
    (tmp_path / "a/parts/.part-000003.77.part").write_text("{")
    ensemble.run(out=tmp_path / "a", force=True)
    assert names(tmp_path / "a") == names(local)


def _another_version() -> str:
    return "9.9.9"
