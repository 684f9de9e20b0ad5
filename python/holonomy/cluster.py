"""Sweeps on a cluster, through Dask.

Each part of the folder of a sweep is a task: a worker computes its cases and puts the part in its place, whole. A
worker that is killed loses the part it was at, which another then makes; the files are those of a local sweep, so that
either can finish what the other began.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import os
import pickle
import warnings
from collections.abc import Callable
from typing import Any

from . import _engine
from .ensemble import plan_of
from .errors import HolonomyError, SweepError

__all__ = ["make_part", "run_on"]

_BEGUN = ".unfinished-sweep.part"
"""What the folder of a sweep that is under way says of it."""


@functools.lru_cache(maxsize=4)
def _plan(payload: bytes) -> _engine.Plan:
    return plan_of(pickle.loads(payload))


def make_part(number: int, payload: bytes, folder: str, version: str, begun: str) -> int:
    """Computes one part; how many cases that were."""
    if version != _version():
        raise SweepError(f"this worker has holonomy {_version()}, the client {version}: install the same everywhere")
    if _begun(folder) != begun:
        raise SweepError(
            f"this worker does not see the sweep in {folder}: `out` is a folder that the client and all workers share"
        )
    return _plan(payload).make_part(folder, number) or 0


def run_on(
    client: Any,
    arguments: tuple[Any, ...],
    plan: _engine.Plan,
    folder: str,
    force: bool,
    retries: int,
    progress: Callable[[int, int], Any] | None,
) -> None:
    """Fills the folder of a sweep by the workers of a Dask client."""
    if not hasattr(client, "map") or not hasattr(client, "scheduler_info"):
        raise TypeError(f"`client` is a `distributed.Client`, not {type(client).__name__}")
    if getattr(client, "asynchronous", False):
        raise SweepError("the Dask client is asynchronous: use one without `asynchronous=True`")
    if getattr(client, "status", None) != "running":
        raise SweepError("the Dask client is closed: open another, `distributed.Client(…)`")
    from distributed import KilledWorker, as_completed

    _same_version(client)
    plan.begin(folder, force)
    payload = pickle.dumps(arguments)
    begun = _begun(folder)
    # Tasks of one sweep have names of their own, so that a call that is made again finds those that are under way.
    name = f"holonomy-{hashlib.sha256(payload + folder.encode() + _version().encode()).hexdigest()[:16]}"
    futures = client.map(
        make_part,
        range(plan.parts),
        payload=payload,
        folder=folder,
        version=_version(),
        begun=begun,
        retries=retries,
        key=[f"{name}-{part}" for part in range(plan.parts)],
        pure=False,
    )
    done = 0
    try:
        for future in as_completed(futures):
            future.result()
            done += 1
            if progress is not None:
                progress(min(done * plan.count // plan.parts, plan.count), plan.count)
    except concurrent.futures.CancelledError as error:
        raise SweepError(
            f"the work was cancelled after {done} of {plan.parts} parts, or the Dask client was closed; "
            "what is finished stays, and the same call goes on"
        ) from error
    except KilledWorker as error:
        raise SweepError(
            f"several workers in a row died of the same part ({error}): give them more memory, or run it here, without "
            "`client`; what is finished stays"
        ) from error
    finally:
        if done < len(futures) and client.status == "running":
            client.cancel(futures)


def _same_version(client: Any) -> None:
    """Refuses workers that have another version of the engine, or none."""
    if not client.scheduler_info(n_workers=-1)["workers"]:
        warnings.warn("the Dask cluster has no workers yet: the sweep begins when there are some", stacklevel=4)
        return
    try:
        found = client.run(_worker_version)
    except HolonomyError:
        raise
    except Exception as error:
        raise SweepError(
            f"the workers cannot load holonomy ({error}): install the package, of version {_version()}, where they run"
        ) from error
    others = {version: worker for worker, version in found.items() if version != _version()}
    for version, worker in others.items():
        raise SweepError(
            f"the worker {worker} has holonomy {version}, the client {_version()}: install the same everywhere"
        )


def _version() -> str:
    return _engine.__version__


def _worker_version() -> str:
    return _engine.__version__


def _begun(folder: str) -> str:
    """A hash of what the folder says is under way in it."""
    try:
        with open(os.path.join(folder, _BEGUN), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""
