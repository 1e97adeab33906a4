"""Results of every kind, made once for all tests of pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pages import KINDS, make


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of each kind of result, by its name in `KINDS`."""
    made = {}
    for kind in KINDS:
        made[kind] = tmp_path_factory.mktemp("results") / kind
        make(kind, made[kind])
    return made
