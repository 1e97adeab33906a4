"""What all tests share: a seeded profile of hypothesis, the mark `jit`, and a Dask cluster."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

# A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "seeded", derandomize=True, deadline=None, database=None, print_blob=True
)
hypothesis.settings.load_profile("seeded")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out tests marked `jit` where the engine runs as plain Python."""
    marked = [item for item in items if item.get_closest_marker("jit")]
    if not marked:
        return
    from sim.core.jit import COMPILED

    if not COMPILED:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs the compiled engine"))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler and two worker processes on this machine, each of which may be killed."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        yield cluster
