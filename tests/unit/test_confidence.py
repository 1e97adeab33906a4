"""The curves from the confidence that a player reckons to the one that proves true."""

import numpy as np
import pytest

from sim.confidence import Curves, curve, curves, drawn
from sim.engine.state import CURVE
from sim.pack import pack
from sim.study import Study


def test_the_curves_that_ship_rise_and_fit_together() -> None:
    found = curves()
    shape = (len(found.players), len(found.rates), len(found.knots))
    for table in (found.one, found.two):
        assert table.shape == shape
        assert (np.diff(table, axis=2) >= 0).all()
    for axis in (found.knots, found.rates, found.players):
        assert (np.diff(axis) > 0).all()
    assert found.rates[0] > 0


@pytest.mark.parametrize("claims", [1, 2])
@pytest.mark.parametrize(("players", "rate"), [(2, 1e-6), (3, 0.01), (4, 0.04), (5, 0.9), (6, 1.0)])
def test_a_curve_rises_from_0_to_1(players: int, rate: float, claims: int) -> None:
    chances = np.array(curve(players, rate, claims, CURVE))
    assert len(chances) == CURVE + 1
    assert chances[0] == 0
    assert chances[-1] == 1
    assert (np.diff(chances) >= 0).all()


def test_between_rates_and_players_lies_what_is_between() -> None:
    knots = np.array([-1.0, 1.0])
    table = np.array([[[0.0, 2.0], [1.0, 3.0]], [[4.0, 6.0], [5.0, 7.0]]])
    some = Curves(knots, np.array([0.01, 0.04]), np.array([2.0, 6.0]), table, table + 10)
    assert some.at(2, 0.01, 1).tolist() == [0, 2]
    assert some.at(4, 0.01, 1).tolist() == [2, 4]
    assert some.at(2, 0.02, 1) == pytest.approx([0.5, 2.5])  # halfway by the logarithm
    assert some.at(6, 0.04, 2).tolist() == [15, 17]
    # Beyond the outer rates as there.
    assert some.at(6, 0.9, 1).tolist() == [5, 7]
    assert some.at(2, 1e-9, 1).tolist() == [0, 2]


def test_a_curve_is_linear_in_the_log_odds() -> None:
    knots = np.array([-1.0, 0.0, 2.0])
    same = drawn(knots, knots, 10)
    assert same == pytest.approx(np.arange(11) / 10, abs=1e-9)
    moved = drawn(knots, knots + 1, 10)[1:-1]
    reckoned = np.arange(1, 10) / 10
    assert np.log(moved / (1 - moved)) == pytest.approx(np.log(reckoned / (1 - reckoned)) + 1)


def test_who_mixes_nothing_up_has_no_curve_and_no_doubt() -> None:
    players = ["balanced", {"base": "balanced", "mix_up_rate": 0.05}, "elephant"]
    table = pack(Study.of(players=players, rounds=1))
    assert (table.doubt[:3] > 0).tolist() == [False, True, False]
    assert not table.curve[[0, 2]].any()
    assert table.curve[1, 0].tolist() == list(curve(3, 0.05, 1, CURVE))
    assert table.curve[1, 1].tolist() == list(curve(3, 0.05, 2, CURVE))
