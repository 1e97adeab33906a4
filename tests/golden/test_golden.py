"""The same study and seed give the numbers and the rounds that they gave before."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.jit


def _refresh() -> Any:
    spec = importlib.util.spec_from_file_location("golden_refresh", HERE / "refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


refresh = _refresh()


@pytest.mark.parametrize("name", refresh.STUDIES)
def test_numbers_have_not_changed(name: str) -> None:
    golden = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(refresh.summary(name))) == golden


@pytest.mark.parametrize("name", refresh.STUDIES)
def test_the_first_round_is_played_as_before(name: str) -> None:
    assert refresh.transcript(name) == (HERE / f"{name}.txt").read_text(encoding="utf-8")
