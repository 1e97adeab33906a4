"""The curves from the confidence that a player reckons to the one that proves true."""

import numpy as np
import pytest

from sim.batch.confidence import AXES, Curves, Mixing, curve, curves, drawn
from sim.batch.pack import pack
from sim.core.layout import CLAIMS, CURVE
from sim.game.study import Study


def test_the_curves_that_ship_rise_and_fit_together() -> None:
    found = curves()
    shape = tuple(len(getattr(found, name)) for name in reversed(AXES))
    assert set(found.claims) == set(CLAIMS)
    for table in found.claims.values():
        assert table.shape == shape
        assert (np.diff(table, axis=-1) >= 0).all()
    for name in AXES:
        assert (np.diff(getattr(found, name)) > 0).all()
    assert found.rates[0] > 0


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    ("players", "mixing"),
    [
        (2, Mixing(1e-6, 0, 0.5)),
        (3, Mixing(0.01, 1, 1)),
        (4, Mixing(0.04, 0.3, 0)),
        (5, Mixing(0.9, 1, 0.9)),
        (6, Mixing(1.0, 0.5, 0.2)),
    ],
)
def test_a_curve_rises_from_0_to_1(players: int, mixing: Mixing, claim: str) -> None:
    chances = np.array(curve(claim, players, mixing, CURVE))
    assert len(chances) == CURVE + 1
    assert chances[0] == 0
    assert chances[-1] == 1
    assert (np.diff(chances) >= 0).all()


def test_between_the_values_of_an_axis_lies_what_is_between() -> None:
    knots = np.array([-1.0, 1.0])
    rates, players = np.array([0.01, 0.04]), np.array([2.0, 6.0])
    table = np.array([[[0.0, 2.0], [1.0, 3.0]], [[4.0, 6.0], [5.0, 7.0]]])
    whole = np.array([[table, table + 100], [table + 1000, table + 1100]])  # hopes x counts x …
    axes = (knots, rates, players, np.array([0.0, 1.0]), np.array([0.2, 0.6]))
    some = Curves(*axes, {"own_draw": whole, "double": whole + 10})
    assert some.at("own_draw", 2, Mixing(0.01, 0, 0.2)).tolist() == [0, 2]
    assert some.at("own_draw", 4, Mixing(0.01, 0, 0.2)).tolist() == [2, 4]
    assert some.at("double", 6, Mixing(0.04, 0, 0.2)).tolist() == [15, 17]
    # Halfway by the logarithm of the rate.
    assert some.at("own_draw", 2, Mixing(0.02, 0, 0.2)) == pytest.approx([0.5, 2.5])
    assert some.at("own_draw", 2, Mixing(0.01, 0.4, 0.2)) == pytest.approx([40, 42])
    assert some.at("own_draw", 2, Mixing(0.01, 0, 0.3)) == pytest.approx([250, 252])
    # Beyond the outer values as there.
    assert some.at("own_draw", 6, Mixing(0.9, 1, 1)).tolist() == [1105, 1107]
    assert some.at("own_draw", 2, Mixing(1e-9, 0, 0)).tolist() == [0, 2]


def test_a_curve_is_linear_in_the_log_odds() -> None:
    knots = np.array([-1.0, 0.0, 2.0])
    same = drawn(knots, knots, 10)
    assert same == pytest.approx(np.arange(11) / 10, abs=1e-9)
    moved = drawn(knots, knots + 1, 10)[1:-1]
    reckoned = np.arange(1, 10) / 10
    assert np.log(moved / (1 - moved)) == pytest.approx(np.log(reckoned / (1 - reckoned)) + 1)


def test_who_mixes_nothing_up_has_no_curve_and_no_doubt() -> None:
    mixing = {"base": "balanced", "mix_up_rate": 0.05, "count_cards": 0.5}
    table = pack(Study.of(players=["balanced", mixing, "elephant"], rounds=1))
    assert (table.doubt[:3] > 0).tolist() == [False, True, False]
    assert not table.curve[[0, 2]].any()
    hope = float(table.pluck_rival_confidence[1])
    for k, claim in enumerate(CLAIMS):
        wanted = curve(claim, 3, Mixing(0.05, 0.5, hope), CURVE)
        assert table.curve[1, k].tolist() == list(wanted)
    assert len(set(map(tuple, table.curve[1]))) == len(CLAIMS)
