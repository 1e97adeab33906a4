"""What all tests share: a seeded profile of hypothesis, and the mark `jit`."""

from __future__ import annotations

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "seeded", derandomize=True, deadline=None, database=None, print_blob=True
)
hypothesis.settings.load_profile("seeded")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out tests marked `jit` where the engine runs as plain Python."""
    marked = [item for item in items if item.get_closest_marker("jit")]
    if not marked:
        return
    from sim.engine.jit import COMPILED

    if not COMPILED:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs the compiled engine"))
