"""Makes docs/guide/python-reference.md from the docstrings of the package; `--check` compares instead."""

from __future__ import annotations

import ast
import inspect
import textwrap
import sys
from pathlib import Path
from typing import Any

import holonomy

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "python-reference.md"
GROUPS = {
    "Models": ["load", "loads", "lagrangian", "Tree", "import_urdf", "check", "scenarios", "methods", "Model", "Knob"],
    "Joints": ["hinge", "slide", "screw", "universal", "ball", "free", "fixed"],
    "Simulations": ["Simulation", "resume"],
    "Runs": ["run", "open_run", "Run", "Columns", "Certificate", "Answer", "Judgement"],
    "Comparisons": ["Comparison", "Convergence", "Equilibrium"],
    "Linear systems, orbits, inputs, fits": ["Linearization", "Orbits", "Orbit", "Controlled", "Fitted", "Inverted"],
    "Gradients": ["Gradient", "Slope", "Rollout", "Trace", "Changes", "Gradients", "GradientCertificate"],
    "Many cases": ["Ensemble", "Cases", "linspace", "logspace", "normal", "uniform", "latin", "sobol"],
    "Functions of your own": ["potential", "Potential", "energy_signature", "force_signature"],
    "Errors": [],
}


def page() -> str:
    """The whole page."""
    made = "Made from the package by `python python/reference.py`. See [the guide](python.md)."
    lines = ["# Python reference", "", made, ""]
    left = [name for name in holonomy.__all__ if not any(name in names for names in GROUPS.values())]
    errors = [name for name in left if name.endswith(("Error", "Warning")) or name == "Problem"]
    groups = {**GROUPS, "Errors": errors, "More": [name for name in left if name not in errors]}
    for title, names in groups.items():
        if names:
            lines += [f"## {title}", ""]
            for name in names:
                lines += entry(name, getattr(holonomy, name))
    return "\n".join(line for long in lines for line in wrapped(long)).rstrip() + "\n"


def wrapped(line: str) -> list[str]:
    """A line as lines of at most 120 letters."""
    if len(line) <= 120:
        return [line]
    return textwrap.wrap(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def entry(name: str, what: Any) -> list[str]:
    lines = [f"### `{name}`", ""]
    if inspect.isclass(what):
        if issubclass(what, Exception):
            lines += [f"Raised as `{what.__mro__[1].__name__}`." if what.__mro__[1] is not Exception else "", ""]
        lines += text_of(inspect.getdoc(what))
        own = [base for base in what.__mro__ if base is what or base.__name__.startswith("_")]
        for member, value in (item for base in own for item in vars(base).items()):
            function = value.__func__ if isinstance(value, classmethod) else value
            if member.startswith("_"):
                continue
            if isinstance(value, property):
                lines += [f"- **`{member}`** {short(value.fget)}"]
            elif inspect.isfunction(function):
                lines += [f"- **`{member}{arguments(function)}`** {short(function)}"]
        lines += [f"- **`{field}`** {text}" for base in own for field, text in fields(base)]
        return [*lines, ""]
    if inspect.ismodule(what):
        return [*lines, *text_of(inspect.getdoc(what)), ""]
    return [*lines, "```text", f"{name}{arguments(what)}", "```", "", *text_of(inspect.getdoc(what)), ""]


def arguments(function: Any) -> str:
    """The names of the arguments, without types."""
    signature = inspect.signature(function)
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(signature.replace(parameters=kept, return_annotation=inspect.Signature.empty))


def short(function: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    text = (inspect.getdoc(function) or "").split("\n\n")[0]
    return " ".join(text.split())


def fields(what: type) -> list[tuple[str, str]]:
    """Fields of a class, each with the text below it."""
    body = ast.parse(inspect.getsource(what)).body[0].body  # type: ignore[attr-defined]
    found = []
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "_bind")]
    for inner in [body, *(node.body for node in functions)]:
        for node, after in zip(inner, inner[1:]):
            texts = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if not texts or not isinstance(node, (ast.AnnAssign, ast.Assign)):
                continue
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            name = target.attr if isinstance(target, ast.Attribute) else target.id  # type: ignore[attr-defined]
            found.append((name, " ".join(str(after.value.value).split())))  # type: ignore[attr-defined]
    return found


def text_of(text: str | None) -> list[str]:
    """A docstring; its examples as blocks."""
    lines: list[str] = []
    example = False
    for line in (text or "").splitlines():
        if line.startswith(">>>") and not example:
            lines.append("```pycon")
            example = True
        if example and not line.strip():
            lines.append("```")
            example = False
        lines.append(line)
    return [*lines, *(["```"] if example else []), ""]


def main() -> int:
    """Writes the page, or compares it."""
    made = page()
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
            print(f"{PAGE.name} is not up to date: run python python/reference.py")
            return 1
        return 0
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
