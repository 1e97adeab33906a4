"""The templates that pages and notebooks are drawn by."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@cache
def environment() -> Environment:
    """Return what fills templates in: it escapes texts, and refuses what it does not know."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["data_uri"] = _data_uri
    return made


def _data_uri(text: str) -> str:
    """Return a text as an address that holds it, for a link that saves it as a file."""
    content = base64.b64encode(text.encode()).decode()
    return f"data:application/toml;charset=utf-8;base64,{content}"
