"""Rollouts for SciPy, JAX and PyTorch, each imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .rollout import checked

if TYPE_CHECKING:
    from .rollout import Rollout, Trace

INS = ("start", "parameters", "inputs")


def _library(name: str, called: str, install: str) -> Any:
    """A library, or what to install."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {called}: pip install {install}") from error


def _shapes(rollout: Rollout, given: tuple[Any, ...]) -> None:
    """Refuses arrays of other shapes here: what is raised in a callback is hidden in an error of the library."""
    for name, one, shape in zip(INS, given, rollout._ins()):
        if one is not None:
            checked(name, tuple(one.shape), shape)


def linear_operator(trace: Trace, of: tuple[str, ...], to: str) -> Any:
    """A derivative as SciPy has it."""
    for name in of:
        if name not in INS:
            raise ValueError(f"a derivative is with respect to `start`, `parameters` or `inputs`, got {name!r}")
    if not of or len(set(of)) < len(of):
        raise ValueError("name what the derivative is with respect to, each once")
    if to not in ("end", "outputs"):
        raise ValueError(f"a derivative is of the `end` or of the `outputs`, got {to!r}")
    linalg = _library("scipy.sparse.linalg", "SciPy", "scipy")
    shapes = dict(zip(INS, trace.rollout._ins()))
    sizes = [int(np.prod(shapes[name])) for name in of]
    places = np.cumsum([0, *sizes])
    out = trace.end.shape if to == "end" else trace.outputs.shape

    def matmat(columns: Any) -> Any:
        rows = np.asarray(columns, dtype=float).reshape(places[-1], -1).T
        each = {
            name: rows[:, places[k] : places[k + 1]].reshape(-1, *shapes[name]) for k, name in enumerate(of)
        }
        return getattr(trace.jvp(**each), to).reshape(len(rows), -1).T

    def rmatmat(columns: Any) -> Any:
        rows = np.asarray(columns, dtype=float).reshape(int(np.prod(out)), -1).T
        found = trace.vjp(**{to: rows.reshape(-1, *out)})
        return np.concatenate([getattr(found, name).reshape(len(rows), -1) for name in of], axis=1).T

    return linalg.LinearOperator(
        shape=(int(np.prod(out)), int(places[-1])),
        dtype=np.dtype(float),
        matvec=lambda column: matmat(column)[:, 0],
        rmatvec=lambda column: rmatmat(column)[:, 0],
        matmat=matmat,
        rmatmat=rmatmat,
    )


def jax_function(rollout: Rollout) -> Callable[..., Any]:
    """A rollout as JAX has it: `custom_vjp` around a callback into the engine."""
    jax = _library("jax", "JAX", "jax")
    numpy = _library("jax.numpy", "JAX", "jax")
    outs = ((len(rollout.start),), (len(rollout.times), len(rollout.outputs)))

    def real() -> Any:
        # Single precision unless `jax_enable_x64` is on; the engine works in double.
        return numpy.result_type(float)

    def array(one: Any) -> Any:
        return None if one is None else numpy.asarray(one, dtype=real())

    def shape(size: Any) -> Any:
        return jax.ShapeDtypeStruct(tuple(size), real())

    def run(given: Any) -> Any:
        trace = rollout._again(*given)
        return trace.end.astype(real()), trace.outputs.astype(real())

    def back(given: Any, bars: Any) -> Any:
        end, outputs = (np.asarray(bar, dtype=float) for bar in bars)
        found = rollout._again(*given).vjp(end=end, outputs=outputs)
        wanted = zip(found, given)
        return tuple(None if one is None else bar.reshape(np.shape(one)).astype(real()) for bar, one in wanted)

    @jax.custom_vjp
    def act(given: Any) -> Any:
        return jax.pure_callback(run, tuple(map(shape, outs)), given, vmap_method="sequential")

    def forward(given: Any) -> Any:
        return act(given), given

    def backward(given: Any, bars: Any) -> Any:
        shapes = tuple(None if one is None else shape(one.shape) for one in given)
        return (jax.pure_callback(back, shapes, given, bars, vmap_method="sequential"),)

    act.defvjp(forward, backward)

    def function(start: Any = None, parameters: Any = None, inputs: Any = None) -> Any:
        given = (array(start), array(parameters), array(inputs))
        _shapes(rollout, given)
        return act(given)

    return function


def torch_function(rollout: Rollout) -> Callable[..., Any]:
    """A rollout as PyTorch has it: a `Function` with `backward`."""
    torch = _library("torch", "PyTorch", "torch")
    autograd = _library("torch.autograd.function", "PyTorch", "torch")
    base: Any = autograd.Function

    def numbers(one: Any) -> Any:
        return None if one is None else one.detach().cpu().double().numpy()

    class Run(base):
        """A run, and the gradient back through it."""

        @staticmethod
        def forward(ctx: Any, *given: Any) -> Any:
            first = next((one for one in given if one is not None), None)
            like = {"dtype": torch.float64, "device": "cpu"}
            if first is not None:
                like = {"dtype": first.dtype, "device": first.device}
            ctx.trace = rollout(*map(numbers, given))
            ctx.like = [None if one is None else (one.shape, one.dtype, one.device) for one in given]
            return tuple(torch.tensor(one, **like) for one in (ctx.trace.end, ctx.trace.outputs))

        @staticmethod
        @autograd.once_differentiable
        def backward(ctx: Any, *bars: Any) -> Any:
            found = ctx.trace.vjp(*map(numbers, bars))
            return tuple(
                None if like is None else torch.tensor(bar.reshape(like[0]), dtype=like[1], device=like[2])
                for bar, like in zip(found, ctx.like)
            )

    def tensor(one: Any) -> Any:
        return None if one is None else torch.as_tensor(one)

    def function(start: Any = None, parameters: Any = None, inputs: Any = None) -> Any:
        given = (tensor(start), tensor(parameters), tensor(inputs))
        _shapes(rollout, given)
        return Run.apply(*given)

    return function
