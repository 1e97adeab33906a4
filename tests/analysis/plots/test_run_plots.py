"""Plots of a run: they show the summary's numbers, at every size, whatever was played."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from operator import attrgetter
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

import sim
from analysis import plots
from analysis.plots.drawing import STYLE
from analysis.results.run import Result
from analysis.text.numbers import of_hundred
from sim.errors import InputError
from sim.game.study import Study

pytestmark = pytest.mark.jit

LONG = "a_player_with_quite_a_long_name"


def played(players: Any, **more: Any) -> Result:
    rounds = {} if "games" in more else {"rounds": 1500}
    study = Study.of(players=players, seed=11, **(rounds | more))
    return sim.run(study, progress=False, records=True)


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    six = [
        {"base": base, "name": f"{LONG}_{base}"}
        for base in ("balanced", "sharp", "cautious", "gambler", "novice", "casual")
    ]
    return {
        "usual": played("balanced,sharp,novice,random"),
        "two": played("balanced,sharp", rounds=300),
        "six": played(six),
        "single": played("balanced,sharp,novice", rounds=1),
        "no BAO": played("balanced,sharp,novice", rules={"bao": False}, rounds=400),
        "games": played("balanced,sharp,novice", games=30),
        "stopped": played("turtle,turtle", rules={"bao": False, "max_turns": 20}, rounds=100),
        "no powers": played("turtle,turtle", rules={"bao": False, "max_turns": 1}, rounds=3),
    }


CASES = ("two", "single", "no BAO", "games", "stopped", "no powers")
NAMES = dir(plots.RunPlots(None))  # type: ignore[arg-type]


@pytest.fixture
def ax() -> Axes:
    return Figure().add_subplot()


def title(ax: Axes) -> str:
    return " ".join(ax.get_title(loc="left").split())


def lengths_of_bars(ax: Axes) -> list[float]:
    return [patch.get_width() for bars in ax.containers if isinstance(bars, BarContainer)
            for patch in bars]  # fmt: skip


# --- every plot, everywhere -----------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_axes_in_axes_out_and_n_is_told(
    results: dict[str, Result], ax: Axes, name: str, case: str
) -> None:
    assert getattr(results[case].plot, name)(ax) is ax
    assert "n = " in title(ax)


@pytest.mark.parametrize(("case", "width"), [("six", 3.4), ("single", 3.4), ("usual", 6.4)])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cut_off_and_no_names_overlap(
    results: dict[str, Result], name: str, case: str, width: float
) -> None:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, 0.85 * width), layout="constrained")
        ax = figure.add_subplot()
        getattr(results[case].plot, name)(ax)
        figure.draw_without_rendering()
    box = ax.get_tightbbox()
    assert box is not None
    assert box.x0 >= -0.5
    assert box.x1 <= figure.bbox.x1 + 0.5
    assert box.y1 <= figure.bbox.y1 + 0.5
    for labels, low, high in (
        (ax.get_yticklabels(), "y0", "y1"),
        (ax.get_xticklabels(), "x0", "x1"),
    ):
        boxes = [label.get_window_extent() for label in labels if label.get_text()]
        boxes.sort(key=attrgetter(low))
        for a, b in pairwise(boxes):
            assert getattr(a, high) <= getattr(b, low) + 2.0  # air inside of line boxes


def test_nothing_global_is_touched(results: dict[str, Result]) -> None:
    before = dict(mpl.rcParams)
    for name in NAMES:
        getattr(results["usual"].plot, name)(Figure().add_subplot())
    assert dict(mpl.rcParams) == before


def test_pictures_are_the_same_bytes(results: dict[str, Result]) -> None:
    def draw(figure: Figure) -> Axes:
        return results["usual"].plot.lengths(figure.add_subplot())

    assert plots.picture(draw, 6.4, 4.0) == plots.picture(draw, 6.4, 4.0)


# --- what they show -------------------------------------------------------------------------------


def test_win_shares(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    result.plot.win_shares(ax)
    shares = [100 * player["win_share"] for player in result.summary()["players"]]
    assert lengths_of_bars(ax) == pytest.approx(shares)
    assert [text.get_text() for text in ax.texts] == [of_hundred(share) for share in shares]
    assert [label.get_text() for label in ax.get_yticklabels()][1] == "1 sharp"
    assert "1,500 rounds with a winner" in title(ax)
    assert "95 % intervals" in title(ax)


def test_no_line_crosses_a_number(results: dict[str, Result], ax: Axes) -> None:
    results["usual"].plot.win_shares(ax)
    line = max(line.get_zorder() for line in ax.lines)
    frame = min(spine.get_zorder() for spine in ax.spines.values())
    for text in ax.texts:
        behind = text.get_bbox_patch()
        assert behind is not None
        assert behind.get_facecolor() == (1, 1, 1, 1)  # white, and not to be seen through
        assert line < text.get_zorder() < frame


def test_intervals_are_those_of_the_summary(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    result.plot.win_shares(ax)
    ends = ax.collections[0].get_segments()  # type: ignore[attr-defined]
    for player, ((left, _), (right, _)) in zip(result.summary()["players"], ends, strict=True):
        assert [left / 100, right / 100] == pytest.approx(player["win_share_ci95"])


def test_games_are_what_is_won(results: dict[str, Result], ax: Axes) -> None:
    results["games"].plot.win_shares(ax)
    assert "n = 30 games with a winner" in title(ax)


def test_rounds_of_games_have_no_intervals(results: dict[str, Result]) -> None:
    for name in ("seats", "ends", "lengths", "recycling", "bao", "powers", "birds"):
        ax = Figure().add_subplot()
        getattr(results["games"].plot, name)(ax)
        assert "no intervals with games" in title(ax), name


def test_seats_are_places_in_the_turn_order(results: dict[str, Result], ax: Axes) -> None:
    result = results["six"]
    result.plot.seats(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "1st", "2nd", "3rd", "4th", "5th", "6th",
    ]  # fmt: skip
    shares = [100 * place["win_share"] for place in result.summary()["positions"]]
    assert list(ax.lines[0].get_ydata()) == pytest.approx(shares)


def test_ends_add_up(results: dict[str, Result], ax: Axes) -> None:
    for case in ("usual", "stopped"):
        ax = Figure().add_subplot()
        results[case].plot.ends(ax)
        assert sum(lengths_of_bars(ax)) == pytest.approx(100)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[-1] == "turn cap"


def test_ends_of_several_runs(results: dict[str, Result], ax: Axes) -> None:
    tables = {2: results["two"].summary(), 4: results["usual"].summary()}
    plots.ends(tables, ax, x="players")
    assert ax.get_xlabel() == "players"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "4"]
    tops = [patch.get_y() + patch.get_height() for patch in ax.patches]
    assert max(tops) == pytest.approx(100)
    assert "n = 300 to 1,500 rounds a bar" in title(ax)


def test_ends_of_runs_with_names_lie(results: dict[str, Result], ax: Axes) -> None:
    tables = {"with BAO": results["usual"].summary(), "without": results["no BAO"].summary()}
    plots.ends(tables, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["with BAO", "without"]
    assert ax.get_xlim()[1] == 100


def test_second_recyclings_of_several_runs(results: dict[str, Result], ax: Axes) -> None:
    tables = {"with BAO": results["usual"].summary(), "without": results["no BAO"].summary()}
    plots.recycling(tables, ax, x="rules")
    drawn = [float(line.get_ydata()[0]) for line in ax.lines if len(line.get_ydata()) == 2]
    shares = [float(y) for line in ax.lines for y in line.get_ydata()]
    assert 100.0 in (*drawn, *shares)
    assert "second recycling" in title(ax)


def test_lengths_are_stacked_by_end(results: dict[str, Result], ax: Axes) -> None:
    for case, label in (("usual", "by BAO"), ("no BAO", "by the second recycling")):
        ax = Figure().add_subplot()
        results[case].plot.lengths(ax)
        heights = [patch.get_height() for bars in ax.containers if isinstance(bars, BarContainer)
                   for patch in bars]  # fmt: skip
        assert sum(heights) == pytest.approx(100)
        legend = ax.get_legend()
        assert legend is not None
        told = [text.get_text() for text in legend.get_texts()]
        assert any(text.startswith(label) for text in told)
        assert f"mean: {results[case].summary()['turns']['mean']:.4g} turns" in told


def test_a_long_tail_is_gathered() -> None:
    from analysis.plots.rounds import _layout

    first, width, last = _layout([{5: 500, 6: 499}, {1000: 1}])
    assert (first, width) == (5, 1)
    assert last == 2  # 5, 6, and all above
    assert _layout([{5: 10, 9: 10}]) == (5, 1, 4)
    first, width, last = _layout([dict.fromkeys(range(1, 101), 1)])
    assert (first, width) == (1, 3)
    assert first + (last + 1) * width > 100


def test_recyclings_add_up(results: dict[str, Result], ax: Axes) -> None:
    results["no BAO"].plot.recycling(ax)
    assert sum(lengths_of_bars(ax)) == pytest.approx(100)
    assert ax.get_yticklabels()[0].get_text() == "0"


def test_scores_have_means(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    result.plot.scores(ax)
    means = [float(x) for line in ax.lines if line.get_marker() == "D" for x in line.get_xdata()]
    assert means == pytest.approx([player["score_mean"] for player in result.summary()["players"]])


def test_scores_are_drawn_alike_out_of_records(results: dict[str, Result]) -> None:
    result = results["usual"]
    counted, rows = result.plot.scores(), plots.scores(result.records)
    assert lengths_of_bars(counted) == pytest.approx(lengths_of_bars(rows))
    assert sum(map(Counter.total, result.score_counts)) == result.record_rows


def test_scores_need_records(ax: Axes) -> None:
    bare = sim.run(results_study := Study.of(players="sharp,novice", rounds=20), progress=False)
    with pytest.raises(InputError, match="no records were kept"):
        bare.plot.scores(ax)
    assert results_study.rounds == 20


def test_bao_by_total(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    result.plot.bao(ax, least=1)
    rows = result.summary()["calls"]["by_total"]
    line = next(line for line in ax.lines if len(line.get_xdata()) == len(rows))
    assert list(line.get_xdata()) == [row[0] for row in rows]
    assert list(line.get_ydata()) == pytest.approx([100 * row[1] / sum(row[1:]) for row in rows])
    assert f"n = {result.summary()['bao']['called']:,} calls" in title(ax)


def test_bao_leaves_out_what_is_rare(results: dict[str, Result], ax: Axes) -> None:
    results["usual"].plot.bao(ax, by="turn")
    assert "left out: fewer than 30 calls" in title(ax)
    with pytest.raises(InputError, match="did you mean 'total'"):
        results["usual"].plot.bao(ax, by="totals")


def test_without_a_call_it_is_said(results: dict[str, Result], ax: Axes) -> None:
    results["no BAO"].plot.bao(ax)
    assert [text.get_text() for text in ax.texts] == ["BAO was never called"]


def test_powers_add_up(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    result.plot.powers(ax)
    used = sum(sum(player["powers"].values()) for player in result.summary()["players"])
    assert sum(lengths_of_bars(ax)) == pytest.approx(used / result.summary()["rounds"])


def test_birds_by_name(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    result.plot.birds(ax)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert "Golden Toucan" in names
    dots = [float(x) for line in ax.lines if line.get_marker() == "o" for x in line.get_xdata()]
    swings = [bird["dealt"]["swing"] for bird in result.summary()["birds"]]
    assert dots == pytest.approx([swing for swing in swings if swing is not None])


def test_swings_of_powers(results: dict[str, Result], ax: Axes) -> None:
    results["usual"].plot.birds(ax, of="powers")
    assert "Macaw" in [label.get_text() for label in ax.get_yticklabels()]
    with pytest.raises(InputError, match="of"):
        results["usual"].plot.birds(ax, of="kept")


def test_calibration_of_a_run(results: dict[str, Result], ax: Axes) -> None:
    result = results["usual"]
    table = result.calibration
    together = table[table["seat"].isna()]
    assert int(together["n"].sum()) == int(table[table["seat"].notna()]["n"].sum())
    result.plot.calibration(ax)
    assert "bins with n ≥ 30" in title(ax)


# --- older results --------------------------------------------------------------------------------

NEEDED: dict[str, tuple[str, Callable[[Any, Axes], Axes]]] = {
    "positions": ("seats", plots.seats),
    "by_end": ("lengths", plots.lengths),
    "calls": ("bao", plots.bao),
    "birds": ("birds", plots.birds),
}


@pytest.mark.parametrize("group", NEEDED)
def test_older_results_lack_something_and_it_is_said(
    results: dict[str, Result], ax: Axes, group: str
) -> None:
    summary = results["usual"].summary()
    del summary[group]
    name, draw = NEEDED[group]
    with pytest.raises(InputError, match=f"plot.{name}: no '{group}' in the summary.*play it"):
        draw(summary, ax)


def test_older_results_lack_triggers(results: dict[str, Result], ax: Axes) -> None:
    summary = results["usual"].summary()
    for player in summary["players"]:
        del player["power_triggers"]
    with pytest.raises(InputError, match=r"plot\.powers: no 'power_triggers'"):
        plots.powers(summary, ax)
