"""The command `bench`."""

import json

import pytest
from click.testing import CliRunner, Result

from sim.cli import main

pytestmark = pytest.mark.jit


def baobei(*arguments: str) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(main, arguments)


def test_bench_measures() -> None:
    result = baobei("bench", "--seconds", "1", "--json")
    assert result.exit_code == 0
    figures = json.loads(result.stdout)
    assert [row["players"] for row in figures["tables"]] == [2, 4, 6]
    for row in figures["tables"]:
        assert 1 < row["turns_per_round"] < 200
        assert row["rounds_per_second"] > 1000
        turn = 1e9 / row["rounds_per_second"] / row["turns_per_round"]
        assert row["ns_per_turn"] == pytest.approx(turn)
        assert -1 < row["counting"] < 0.5  # a share of the run; a busy machine is no yardstick
        assert row["turn_in_shuffles"] == pytest.approx(row["ns_per_turn"] / row["shuffle_ns"])
    assert 0 < figures["copy"]["ns"] < 5000  # half a microsecond is wanted, of an idle machine
    in_turns = figures["copy"]["ns"] / figures["tables"][1]["ns_per_turn"]
    assert figures["copy"]["in_turns"] == pytest.approx(in_turns)
    from sim.cli.bench import text

    assert "in shuffles" in text(figures)
    assert all(len(line) <= 100 for line in text(figures).splitlines())
