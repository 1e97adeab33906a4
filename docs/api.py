"""Write docs/api.md, the reference of the public names of `sim` and `analysis`, from docstrings.

``python docs/api.py`` writes it anew; a test says when that is due. The sources are read, not run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"

ANALYSIS = ("stats", "tables", "plots", "report")
ANALYSIS += ("comparing", "sweeping", "ranking")
"""The modules of `analysis` that are of use to others; those that write text are not."""

GIVEN = ("Bird", "Outcome", "Until")
"""Classes of `sim` whose objects turn up in results, and all whose names end in Plots."""

HEAD = """\
# Reference

<!-- Made by "python docs/api.py" from the docstrings; changes here are lost. -->

All public names of `sim`, its registry of metrics, and those modules of `analysis` that are of use
in a notebook. How to do what is told in [analyst](analyst.md).

- Seats, rounds and games count from 0.
- Shares are from 0 to 1, scores and totals in points, times in seconds.
- Intervals are at 95 %; of what cannot be said there is `None`, in tables a missing value.
- Numbers may be Python's or numpy's, and `1e6` is a whole one; true and false are none. A list may
  be an array, a Series or a `range`.
- A `PathLike` is a text or a `pathlib.Path`; one that is relative is looked for in the current
  folder, unless a `folder` says otherwise.
- A wrong argument, file or folder raises `sim.InputError`: the place, the key, what was expected.
"""

# Methods of pydantic, dataclasses and Python that classes fill in and nobody calls by name.
_UNTOLD = re.compile(r"_(?!repr_html_)|to_text$")


def public_names() -> list[str]:
    """Return the names in `sim.__all__`, which is the keys of `_HOMES`."""
    tree = ast.parse((ROOT / "sim" / "__init__.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_HOMES":
            names = ast.literal_eval(node.value)
            return sorted(names, key=lambda name: (name.lower(), name))
    raise LookupError("sim._HOMES")


def loaded() -> tuple[griffe.Module, griffe.Module]:
    """Return both packages as griffe reads them."""
    loader = griffe.GriffeLoader(search_paths=[ROOT], docstring_parser="google")
    packages = [loader.load(name) for name in ("sim", "analysis")]
    loader.resolve_aliases()
    return packages[0], packages[1]  # type: ignore[return-value]


# --- parts of the page ----------------------------------------------------------------------------


def page() -> str:
    """Return the whole reference as Markdown."""
    sim, analysis = loaded()
    objects = of_sim(sim)
    parts = [HEAD, "## sim\n", *index("sim", objects)]
    for name, found in objects.items():
        parts += entry(f"sim.{name}", found)
    parts.append("## What these give\n")
    for found in given(sim):
        parts += entry(found.path, found)
    for module in modules(sim, analysis):
        parts += chapter(module)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def entries() -> Iterator[tuple[str, griffe.Object]]:
    """Yield the title of every entry of the page, and the function or class."""
    sim, analysis = loaded()
    yield from ((f"sim.{name}", found) for name, found in of_sim(sim).items())
    yield from ((found.path, found) for found in given(sim))
    for module in modules(sim, analysis):
        for name, found in exported(module).items():
            if found.docstring and not found.is_attribute:
                yield f"{module.path}.{name}", found


def of_sim(sim: griffe.Module) -> dict[str, griffe.Object]:
    """Return what is behind each public name."""
    found = {name: sim[name] for name in public_names()}
    return {name: part.final_target if part.is_alias else part for name, part in found.items()}


def modules(sim: griffe.Module, analysis: griffe.Module) -> list[griffe.Module]:
    """Return the modules that the page tells of: the registry of metrics, those of `analysis`."""
    return [sim.modules["metrics"], *(analysis.modules[name] for name in ANALYSIS)]


def given(package: griffe.Module) -> Iterator[griffe.Object]:
    """Yield classes that nobody makes by name, but that results, decks and scenarios give."""
    for _, part in sorted(package.modules.items()):
        for name, found in part.classes.items():
            if not found.is_alias and (name in GIVEN or re.fullmatch(r"[A-Z]\w+Plots", name)):
                yield found


def index(prefix: str, objects: dict[str, griffe.Object]) -> Iterator[str]:
    """Yield a table of names with the first sentence of each."""
    yield "| name | what it is |\n|---|---|"
    for name, found in objects.items():
        title = heading(f"{prefix}.{name}", found)
        anchor = re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        yield f"| [`{name}`](#{anchor}) | {cell(first_sentence(found))} |"
    yield ""


def chapter(found: griffe.Module) -> Iterator[str]:
    """Yield a module of `analysis`: its own text, its constants, functions and classes."""
    yield f"## {found.path}\n"
    yield text_of(found)
    members = {name: part for name, part in exported(found).items() if part.docstring}
    told = {n: part for n, part in members.items() if part.is_function or part.is_class}
    yield from index(found.path, told)
    for name, part in members.items():
        if part.is_attribute:
            yield f"- `{name}`: {one_line(text_of(part))}"
    yield ""
    for name, part in told.items():
        yield from entry(f"{found.path}.{name}", part)


def exported(found: griffe.Module) -> dict[str, griffe.Object]:
    """Return what a module offers: `__all__` if it has one, else all that it defines itself."""
    members = {}
    for name, part in found.members.items():
        listed = name in (found.exports or ())
        if name.startswith("_") or (part.is_alias and not listed) or part.is_module:
            continue
        members[name] = part.final_target if part.is_alias else part
    return members


def heading(title: str, found: griffe.Object) -> str:
    """Return the heading of an entry; anchors do not tell `sim.Sweep` from `sim.sweep`."""
    return f"class {title}" if found.is_class else title


def entry(title: str, found: griffe.Object) -> Iterator[str]:
    """Yield the reference of one function or class."""
    yield f"### {heading(title, found)}\n"
    if found.is_function:
        yield signature(title, found)
        yield from sections(found)
        return
    yield from sections(found)
    for name, part in public_members(found):
        yield f"#### {found.name}.{name}\n"
        if part.is_function:
            yield signature(f"{found.name}.{name}", part)
        else:
            yield f"```py\n{found.name}.{name}: {part.annotation}\n```\n"
        yield from sections(part)


def public_members(found: griffe.Object) -> Iterator[tuple[str, griffe.Object]]:
    """Yield methods and properties of a class that have a docstring."""
    for name, part in found.all_members.items():
        taken_in = part.is_alias and (not part.inherited or found.name.endswith("Plots"))
        if _UNTOLD.match(name) or taken_in or not part.docstring:
            continue
        if part.is_function or "property" in part.labels:
            yield name, part


def signature(title: str, found: griffe.Object) -> str:
    """Return how a function is called, as a block of code; broken up where it is long."""
    shown = []
    star = False
    for parameter in found.parameters:
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind
        if kind is griffe.ParameterKind.keyword_only and not star:
            shown.append("*")
        star = star or kind in (
            griffe.ParameterKind.keyword_only,
            griffe.ParameterKind.var_positional,
        )
        mark = {"variadic positional": "*", "variadic keyword": "**"}.get(kind.value, "")
        text = f"{mark}{parameter.name}"
        if parameter.annotation is not None:
            text += f": {parameter.annotation}"
        if parameter.default is not None and not mark:
            text += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
        shown.append(text)
    returns = f" -> {found.returns}" if found.returns is not None else ""
    line = f"{title}({', '.join(shown)}){returns}"
    if len(line) > 92:
        inside = "".join(f"    {part},\n" for part in shown)
        line = f"{title}(\n{inside}){returns}"
    return f"```py\n{line}\n```\n"


def sections(found: griffe.Object) -> Iterator[str]:
    """Yield a docstring: its text, and its lists of arguments, results and errors."""
    if found.docstring is None:
        return
    for section in found.docstring.parsed:
        kind = section.kind.value
        if kind == "text":
            yield f"{prose(section.value)}\n"
        elif kind in ("parameters", "attributes", "other parameters"):
            yield "Attributes:\n" if kind == "attributes" else "Arguments:\n"
            yield from (f"- `{item.name}`: {one_line(item.description)}" for item in section.value)
            yield ""
        elif kind == "returns":
            yield f"Returns: {one_line(' '.join(item.description for item in section.value))}\n"
        elif kind == "raises":
            yield "Raises:\n"
            for item in section.value:
                yield f"- `{item.annotation}`: {one_line(item.description)}"
            yield ""
        elif kind == "admonition":
            yield f"{prose(section.value.description)}\n"
        else:
            raise ValueError(f"{found.path}: a section of kind {kind!r}")


def text_of(found: griffe.Object) -> str:
    """Return the text of a docstring, without its lists."""
    parts = found.docstring.parsed if found.docstring else []
    return "\n\n".join(prose(part.value) for part in parts if part.kind.value == "text") + "\n"


def first_sentence(found: griffe.Object) -> str:
    """Return the first sentence of a docstring."""
    return one_line(text_of(found).split("\n\n")[0])


def prose(text: str) -> str:
    """Return a docstring's text as Markdown."""
    return re.sub(r"::$", ":", text.replace("``", "`"), flags=re.M)


def one_line(text: str) -> str:
    """Return a text of a docstring on one line."""
    return re.sub(r"\s+", " ", prose(text)).strip()


def cell(text: str) -> str:
    """Return a text that may stand in a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
