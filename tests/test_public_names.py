"""What the package `sim` offers."""

import pytest

import sim
from sim.game.study import load_study

pytestmark = pytest.mark.jit


def test_public_names() -> None:
    for name in sim.__all__:
        assert callable(getattr(sim, name)), name
    assert set(sim.__all__) <= set(dir(sim))
    with pytest.raises(AttributeError, match="nothing"):
        _ = sim.nothing


def test_trace_is_a_function_whatever_was_imported() -> None:
    import importlib

    module = importlib.import_module("sim.watch.trace")
    traced = sim.trace(load_study(), 3)  # type: ignore[operator]  # mypy sees the module
    assert isinstance(traced, module.Trace)
