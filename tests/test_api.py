"""docs/api.md: it says what the docstrings say, and they say what people need to know."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent

griffe = pytest.importorskip("griffe", reason="griffe is not installed")


def maker() -> Any:
    """The script that makes the page, as a module."""
    spec = importlib.util.spec_from_file_location("docs_api", ROOT / "docs" / "api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


API = maker()


def functions() -> Iterator[tuple[str, Any]]:
    """All functions and methods of the page."""
    for title, found in API.entries():
        if found.is_function:
            yield title, found
            continue
        for name, part in API.public_members(found):
            if part.is_function:
                yield f"{title}.{name}", part


FUNCTIONS = dict(functions())


def test_the_page_is_up_to_date() -> None:
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert text == API.page(), "the docstrings have changed: run 'python docs/api.py'"


def test_all_public_names_are_there() -> None:
    import sim

    assert set(API.public_names()) == set(sim.__all__)
    titles = {title for title, _ in API.entries()}
    assert {f"sim.{name}" for name in sim.__all__} <= titles
    assert "analysis.stats.wilson" in titles


def test_links_lead_to_headings() -> None:
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    anchors = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
    linked = re.findall(r"\]\(#([^)]+)\)", text)
    assert linked
    for anchor in linked:
        assert anchors.count(anchor) == 1, anchor


@pytest.mark.parametrize("title", FUNCTIONS)
def test_parameters_results_and_types_are_told(title: str) -> None:
    """Every parameter has a type, and a meaning unless there is only one; results have types."""
    found = FUNCTIONS[title]
    told = found.docstring.value
    parameters = [part for part in found.parameters if part.name not in ("self", "cls")]
    assert found.returns is not None
    for parameter in parameters:
        assert parameter.annotation is not None, parameter.name
        if len(parameters) > 2 and not re.search(r"(see|as of) `analysis\.", told):
            assert re.search(rf"(^|[\s`*]){parameter.name}[`:]", told, re.M), parameter.name
