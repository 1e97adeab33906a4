"""Plots: axes in, axes out, n told, the same bytes, nothing global touched."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import matplotlib
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import plots
from analysis.results.sweep import SweepResult
from analysis.results.tournament import TournamentResult
from sim.api import sweep, tournament
from sim.game.study import Study
from sim.game.tournament import Tournament

pytestmark = pytest.mark.jit


@pytest.fixture(scope="module")
def result() -> TournamentResult:
    """A short tournament."""
    return tournament(Tournament.of(players="balanced,sharp,novice,random", seats=3, rounds=600))


@pytest.fixture(scope="module")
def swept() -> dict[str, SweepResult]:
    """Short sweeps of each kind."""
    base = Study.of(players="balanced,novice,balanced", rounds=120, seed=5)
    ranges = {f"0.{name}": {"from": 0.0, "to": 1.0} for name in ("attention", "count_cards")}
    over: dict[str, dict[str, Any]] = {
        "one": {"0.bao_threshold": [2, 4, 8]},
        "uneven": {"0.memory_span": [0, 1, 2, 128]},
        "two": {"0.bao_threshold": [2, 4, 8], "0.mix_up_rate": [0, 0.1]},
        "words": {"rules.shield": ["none", "at_once"]},
        "yes": {"all.double_pluck": [True, False]},
        "group": {"0,2.attention": [0.1, 1.0]},
        "players": {"players": [2, 3, 4]},
        "single": {"0.bao_threshold": [4]},
    }
    made = {name: sweep(base, axes) for name, axes in over.items()}
    made["daring"] = sweep(base.with_changes(rounds=3000), {"all.pluck_confidence": [0.1, 0.3]})
    sure = {"0.pluck_confidence": {"from": 0.9, "to": 1.0}}
    made["three"] = sweep(base, over["two"] | over["words"])
    return made | {"sample": sweep(base, ranges, sample=9), "sure": sweep(base, sure, sample=12)}


@pytest.fixture
def ax() -> Axes:
    """Axes of a figure that no window knows."""
    return Figure().add_subplot()


def title(ax: Axes) -> str:
    return " ".join(ax.get_title(loc="left").split())


# --- axes in, axes out ----------------------------------------------------------------------------

TOURNAMENT: dict[str, Callable[[TournamentResult, Axes], Axes]] = {
    "strength": lambda r, ax: plots.strength(r.ranking, ax),
    "difference": lambda r, ax: plots.strength_matrix(r.matrix, ax),
    "win_share": lambda r, ax: plots.strength_matrix(r.matrix, ax, what="win_share"),
    "by result": lambda r, ax: r.plot.strength(ax),
    "matrix by result": lambda r, ax: r.plot.matrix(ax, what="win_share"),
}


@pytest.mark.parametrize("name", TOURNAMENT)
def test_plots_of_a_tournament(result: TournamentResult, ax: Axes, name: str) -> None:
    assert TOURNAMENT[name](result, ax) is ax
    n = 450 if name in ("strength", "by result") else 300
    assert f"n = {n} rounds" in title(ax)
    assert "95 % intervals" in title(ax)
    assert "sharp" in [label.get_text() for label in ax.get_yticklabels()]
    assert ax.get_xlabel()


@pytest.mark.parametrize("name", ["one", "uneven", "two", "words", "yes", "group", "single"])
def test_plots_of_a_sweep(swept: dict[str, SweepResult], ax: Axes, name: str) -> None:
    result = swept[name]
    assert result.plot.metric("win_share", ax) is ax
    assert "n = 120 rounds a point; 95 % intervals" in title(ax)
    assert ax.get_xlabel().startswith(result.sweep.axes[0].key)
    assert ax.get_ylabel() == "win share, %"


def test_a_metric_of_the_table_has_no_seat(swept: dict[str, SweepResult], ax: Axes) -> None:
    assert "seat" not in title(swept["one"].plot.metric("turns_mean", ax))


def test_series_are_told_apart(swept: dict[str, SweepResult], ax: Axes) -> None:
    swept["two"].plot.metric("score_mean", ax, x="0.bao_threshold", by="0.mix_up_rate")
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["0", "0.1"]
    assert len({line.get_color() for line in ax.lines}) == 2
    assert len({line.get_marker() for line in ax.lines}) == 2
    assert len(ax.collections) == 2  # the bands


def test_uneven_values_stand_side_by_side(swept: dict[str, SweepResult], ax: Axes) -> None:
    swept["uneven"].plot.metric(ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "all"]
    assert ax.get_xlabel() == "0.memory_span (not to scale)"


def test_sampled_values_stand_on_a_scale(swept: dict[str, SweepResult], ax: Axes) -> None:
    swept["sure"].plot.metric(ax=ax)
    assert ax.get_xlabel() == "0.pluck_confidence"
    assert all(len(label.get_text()) <= 5 for label in ax.get_xticklabels())


def test_several_axes_are_told_as_means(swept: dict[str, SweepResult], ax: Axes) -> None:
    result = swept["three"]
    result.plot.metric("win_share", ax, x="0.bao_threshold")
    assert "Mean over the other axes; thin bars: the lowest to the highest" in title(ax)
    rows = result.metrics[(result.metrics["metric"] == "win_share") & (result.metrics["seat"] == 0)]
    means = 100 * rows.groupby("0.bao_threshold")["value"].mean()
    assert [float(y) for y in ax.lines[0].get_ydata()] == pytest.approx(list(means))
    assert len(ax.collections) == 1  # the bars


@pytest.mark.parametrize("name", ["sample", "three"])
def test_panels_share_one_title(swept: dict[str, SweepResult], name: str) -> None:
    figures: list[Figure] = []

    def keep(draw: Any, width: float, height: float) -> dict[str, bytes]:
        figures.append(Figure(figsize=(width, height)))
        draw(figures[-1])
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("analysis.plots.files.picture", keep)
        swept[name].pictures()
    for figure in figures:
        assert "n = " in figure.get_suptitle()
        assert all(title(panel) == "" for panel in figure.axes)


def test_certain_plucks_are_seen_at_100_percent(swept: dict[str, SweepResult], ax: Axes) -> None:
    swept["one"].plot.metric("pluck_success", ax)
    low, high = ax.get_ylim()
    assert low <= 99 + 1e-9
    assert 100 < high < 102
    assert ax.yaxis.get_major_formatter().get_useOffset() is False


def test_ends_that_never_occur_are_left_out(swept: dict[str, SweepResult], ax: Axes) -> None:
    swept["sure"].plot.ends(ax)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["by BAO"]
    assert "other ends never occurred" in title(ax)


def test_calibration_of_certain_plucks_is_left_out(swept: dict[str, SweepResult]) -> None:
    assert not any(name.startswith("calibration") for name in swept["sure"].pictures())


def test_a_map_tells_value_and_half_width(swept: dict[str, SweepResult], ax: Axes) -> None:
    result = swept["two"]
    assert result.plot.map("win_share", ax) is ax
    rows = result.metrics[(result.metrics["metric"] == "win_share") & (result.metrics["seat"] == 0)]
    first = rows.iloc[0]
    half = 50 * (first["high"] - first["low"])
    texts = [text.get_text() for text in ax.texts]
    assert len(texts) == 6
    assert texts[0] == f"{100 * first['value']:.2f}\n±{half:.2f}"
    assert "n = 120 rounds a point" in title(ax)


def test_ends_are_whole(swept: dict[str, SweepResult], ax: Axes) -> None:
    assert swept["players"].plot.ends(ax) is ax
    tops = [patch.get_y() + patch.get_height() for patch in ax.patches]
    assert tops[-3:] == pytest.approx([100, 100, 100])
    assert "n = 120 rounds a bar" in title(ax)


def test_calibration(swept: dict[str, SweepResult]) -> None:
    table = swept["two"].calibration
    left, right = Figure().subplots(1, 2)
    assert plots.calibration(table, left, by="0.mix_up_rate") is left
    assert plots.calibration_difference(table, right, by="0.mix_up_rate", least=1) is right
    assert "plucks a line" in title(left)
    assert "n ≥ 1 plucks; grey: ±1" in title(right)
    assert "percentage points" in right.get_ylabel()
    assert swept["two"].plot.calibration(Figure().add_subplot()).get_xlabel()


def test_without_axes_a_figure_is_made(result: TournamentResult) -> None:
    import matplotlib.pyplot as plt

    before = dict(matplotlib.rcParams)
    made = result.plot.strength()
    assert made.figure is plt.gcf()
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


# --- pictures -------------------------------------------------------------------------------------


def test_pictures_are_the_same_bytes_whatever_the_style(result: TournamentResult) -> None:
    made = result.pictures()
    assert sorted(made) == [
        "strength.png",
        "strength.svg",
        "strength_matrix.png",
        "strength_matrix.svg",
    ]
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "pink", "savefig.dpi": 30}):
        before = dict(matplotlib.rcParams)
        assert result.pictures() == made
        assert dict(matplotlib.rcParams) == before
    assert made["strength.svg"].startswith(b"<?xml")
    assert b"<dc:date>" not in made["strength.svg"]
    assert made["strength.png"].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("one", {"win_share", "score_mean", "bao_success", "turns_mean", "ends"}),
        ("two", {"win_share", "win_share_map", "score_mean_map", "turns_mean"}),
        ("daring", {"win_share", "calibration"}),
        ("words", {"win_share", "ends"}),
        ("group", {"win_share", "group_win_share"}),
        ("players", {"win_share", "ends"}),
        ("sample", {"win_share", "turns_mean"}),
    ],
)
def test_which_pictures_a_sweep_has(
    swept: dict[str, SweepResult], name: str, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def blank(draw: Any, width: float, height: float) -> dict[str, bytes]:
        draw(Figure())
        return {"svg": b"", "png": b""}

    monkeypatch.setattr("analysis.plots.files.picture", blank)
    made = {file.partition(".")[0] for file in swept[name].pictures()}
    assert expected <= made
    assert ("win_share_map" in made) == (name == "two")


def test_many_players_and_long_names_fit() -> None:
    names = [f"a player with a very long name, number {k}" for k in range(30)]
    frame = pd.DataFrame({"player": names, "rounds": 10, "win_share": 0.3})
    frame = frame.assign(win_share_low=0.2, win_share_high=0.4)
    assert plots.picture(lambda figure: plots.strength(frame, figure.add_subplot()), 6, 9)["svg"]


def test_matplotlib_waits_until_it_is_needed() -> None:
    code = (
        "import sys, sim\n"
        "import analysis.plots, analysis.ranking, analysis.sweeping\n"
        "asked = sim.Tournament.of(players='sharp,novice', rounds=40)\n"
        "sim.tournament(asked, progress=False).to_text()\n"
        "sys.exit('matplotlib' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
