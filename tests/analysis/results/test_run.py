"""Results of runs: what a summary says, tables, text."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

import sim
from analysis.results.evaluate import spread
from analysis.results.run import Result
from analysis.stats import wilson
from sim.api import run
from sim.errors import InputError
from sim.game.deck import POWERS
from sim.game.documents import to_json
from sim.game.study import Study
from sim.metrics import SHOWN
from tests.support.studies import small_study as study

pytestmark = pytest.mark.jit


@pytest.fixture(scope="module")
def rounds() -> Result:
    """Rounds of three players."""
    return run(study(["balanced", "sharp", "random"], title="Three at a table"))


@pytest.fixture(scope="module")
def games() -> Result:
    """Games of four players."""
    return run(study(["balanced", "sharp", "random", "cautious"], games=400))


@pytest.fixture(scope="module", params=["rounds", "games"])
def result(request: pytest.FixtureRequest) -> Result:
    """Both of them."""
    found: Result = request.getfixturevalue(request.param)
    return found


# --- the summary ----------------------------------------------------------------------------------


FIELDS = [
    "schema",
    "version",
    "seed",
    "edition",
    "deck",
    "deck_assumed",
    "rules",
    "rules_id",
    "rounds",
    "games",
    "ends",
    "turns",
    "recyclings",
    "bao",
    "players",
    "seconds",
    "rounds_per_second",
    "stopped_by",
]


SEAT_FIELDS = [
    "seat",
    "strategy",
    "wins",
    "shared_wins",
    "win_share",
    "win_share_ci95",
    "score_mean",
    "score_mean_ci95",
    "score_sd",
    "total_mean",
    "bao_called",
    "bao_won",
    "cards_left_mean",
    "plucks",
    "powers",
]


GROUPS = {"positions", "by_end", "calls", "leads", "windows", "shields", "birds", "power_swing"}


GROUPS |= {"comebacks"}


SEAT_GROUPS = {"first", "calls", "automatic_ends", "leads", "plucks_by", "hit_rate"}


SEAT_GROUPS |= {"hit_rate_ci95", "pluck_chances", "races", "power_triggers", "shields"}


SEAT_GROUPS |= {"cards_gone"}


def test_summary_has_the_fields_of_the_contract_in_order(result: Result) -> None:
    summary = result.summary()
    added = {"rules_changed", "threshold_assumed", "game", *GROUPS}
    assert [name for name in summary if name not in added] == FIELDS
    turns = [name for name in summary["turns"] if name != "mean_ci95"]
    assert turns == ["mean", "sd", "min", "max", "median", "histogram"]
    assert list(summary["ends"]) == ["bao", "second_recycling", "turn_cap"]
    assert list(summary["bao"]) == ["called", "won", "tied", "beaten", "void"]
    for seat, player in enumerate(summary["players"]):
        names = [name for name in player if name not in SEAT_GROUPS]
        assert names[: len(SEAT_FIELDS)] == SEAT_FIELDS  # others come after them
        assert player.keys() > SEAT_GROUPS
        assert player["seat"] == seat
        assert list(player["plucks"]) == ["own_hit", "rival_hit", "double_hit", "missed"]
        assert list(player["powers"]) == [*POWERS]


def test_summary_adds_up(result: Result) -> None:
    summary = result.summary()
    assert sum(summary["ends"].values()) == summary["rounds"]
    assert sum(count for _, count in summary["turns"]["histogram"]) == summary["rounds"]
    assert sum(count for _, count in summary["recyclings"]["histogram"]) == summary["rounds"]
    bao = summary["bao"]
    assert bao["won"] + bao["tied"] + bao["beaten"] + bao["void"] == bao["called"]
    assert sum(player["bao_called"] for player in summary["players"]) == bao["called"]
    assert math.isclose(sum(player["win_share"] for player in summary["players"]), 1)
    for player in summary["players"]:
        low, high = player["win_share_ci95"]
        assert low <= player["win_share"] < high
        low, high = player["score_mean_ci95"]
        assert low < player["score_mean"] < high


def test_summary_says_what_was_played(rounds: Result) -> None:
    summary = rounds.summary()
    assert summary["schema"] == 1
    assert summary["version"] == sim.__version__
    assert (summary["seed"], summary["edition"], summary["deck"]) == (7, "second", "five_per_value")
    assert summary["deck_assumed"] is True
    assert summary["rules"] == rounds.study.rules.to_dict()
    assert summary["rules_id"] == rounds.study.rules_id
    assert (summary["rounds"], summary["games"], summary["game"]) == (2000, None, None)
    assert summary["stopped_by"] == "rounds"
    assert [player["strategy"] for player in summary["players"]] == ["balanced", "sharp", "random"]


def test_summary_agrees_with_the_records() -> None:
    found = run(study(rounds=400), records=True)
    rows, summary = found.records, found.summary()
    for seat, player in enumerate(summary["players"]):
        mine = rows[rows["seat"] == seat]
        assert player["score_mean"] == pytest.approx(mine["score"].mean())
        assert player["score_sd"] == pytest.approx(mine["score"].std())
        assert player["total_mean"] == pytest.approx(mine["total"].mean())
        assert player["cards_left_mean"] == pytest.approx(mine["cards_left"].mean())
        winners = rows.groupby("index")["winner"].transform("sum")
        share_of_wins = (rows["winner"] / winners)[rows["seat"] == seat].mean()
        assert player["win_share"] == pytest.approx(share_of_wins)
        assert player["wins"] == ((winners == 1) & rows["winner"])[rows["seat"] == seat].sum()
    turns = rows[rows["seat"] == 0]["turns"]
    assert summary["turns"]["mean"] == pytest.approx(turns.mean())
    assert summary["turns"]["sd"] == pytest.approx(turns.std())
    assert summary["turns"]["median"] == turns.median()
    assert (summary["turns"]["min"], summary["turns"]["max"]) == (turns.min(), turns.max())


def test_games_are_summed_up_as_games(games: Result) -> None:
    summary = games.summary()
    game = summary["game"]
    assert summary["games"] == 400
    assert sum(game["ends"].values()) == 400
    assert sum(player["wins"] for player in summary["players"]) == game["ends"]["threshold"]
    assert [player["shared_wins"] for player in summary["players"]] == [0] * 4
    lengths = game["rounds"]["histogram"]
    assert sum(rounds * count for rounds, count in lengths) == summary["rounds"]
    assert game["threshold"] == 100
    assert game["deciding_rounds"] >= game["decided_by_deciding_rounds"] > 0
    assert summary["stopped_by"] == "games"
    first = f"mean by seat: {games.sums['score'][0] / 400:.1f}, "
    assert first in games.to_text()


def test_stopped_games_credit_nobody() -> None:
    summary = run(study(games=50, rules={"max_rounds": 1})).summary()
    assert summary["game"]["ends"]["max_rounds"] == 50
    assert [player["win_share"] for player in summary["players"]] == [None, None]
    assert [player["win_share_ci95"] for player in summary["players"]] == [[0.0, 1.0]] * 2
    assert [player["wins"] for player in summary["players"]] == [0, 0]


def test_capped_rounds_are_not_in_the_denominator() -> None:
    summary = run(study(["turtle", "balanced"], rules={"max_turns": 14})).summary()
    capped = summary["ends"]["turn_cap"]
    assert 0 < capped < 2000
    assert math.isclose(sum(player["win_share"] for player in summary["players"]), 1)
    first = summary["players"][0]
    low = first["wins"] / (2000 - capped)
    assert low <= first["win_share"] <= low + first["shared_wins"] / 2 / (2000 - capped) + 1e-12


def test_one_round_has_no_spread() -> None:
    summary = run(study(rounds=1)).summary()
    assert summary["turns"]["sd"] is None
    assert summary["players"][0]["score_sd"] is None
    assert summary["players"][0]["score_mean_ci95"] == [None, None]
    json.dumps(summary, allow_nan=False)


def test_summary_is_plain_and_ones_own(result: Result) -> None:
    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(type(key) is str and plain(inner) for key, inner in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (bool, int, float, str)

    assert plain(result.summary())
    result.summary()["players"].clear()
    assert result.summary()["players"]


def test_json_text_keeps_every_digit_and_short_lists_on_a_line(result: Result) -> None:
    text = result.to_json()
    assert json.loads(text) == result.summary()
    value, count = result.summary()["turns"]["histogram"][0]
    assert f"\n      [{value}, {count}]" in text


def test_json_text_of_odd_lists() -> None:
    odd = {"a": [], "b": [1], "c": [1, None], "d": [1, 2, 3], "e": ["1", 2], "f": [-1.5e-7, 2e22]}
    assert json.loads(to_json(odd)) == odd
    assert '"c": [1, null]' in to_json(odd)


# --- tables ---------------------------------------------------------------------------------------


def test_players_is_one_row_for_each_seat(result: Result) -> None:
    frame, players = result.players, result.summary()["players"]
    assert frame["seat"].tolist() == list(range(len(players)))
    assert frame["strategy"].tolist() == [player["strategy"] for player in players]
    assert frame["win_share"].tolist() == [player["win_share"] for player in players]
    assert frame["win_share_low"].tolist() == [p["win_share_ci95"][0] for p in players]
    assert frame["macaw"].tolist() == [player["powers"]["macaw"] for player in players]
    assert not [column for column in frame if frame[column].map(type).eq(dict).any()]


def test_metrics_hold_every_number_of_the_summary(result: Result) -> None:
    summary = result.summary()
    apart = {"schema", "version", "seed", "edition", "deck", "deck_assumed", "rules", "rules_id"}
    apart |= {"rules_changed", "threshold_assumed", "seconds", "rounds_per_second", "stopped_by"}
    apart |= {"seat", "strategy"}

    def leaves(part: dict[str, Any], path: str = "") -> set[str]:
        names = set()
        for key, value in part.items():
            if key in apart:
                continue
            if isinstance(value, dict):
                names |= leaves(value, f"{path}{key}.")
            elif not isinstance(value, list):
                names.add(f"{path}{key}")
        return names

    table = {metric.name for metric in SHOWN if not metric.per_seat and not metric.each}
    if summary["game"] is None:
        games = ("game.", "comebacks.")
        table = {name for name in table if not name.startswith(games)} | {"game", "comebacks"}
    players = summary.pop("players")
    assert leaves(summary) == table
    assert leaves(players[0]) == {m.name for m in SHOWN if m.per_seat}
    for each in ("positions", "birds"):
        listed = {m.name for m in SHOWN if m.each.startswith(f"{each}: ")}
        assert leaves(summary[each][0]) - {"bird"} == listed


def test_metrics_say_which_numbers_have_an_interval(rounds: Result, games: Result) -> None:
    for result in (rounds, games):
        frame = result.tables()["metrics"]
        known = {metric.name: metric for metric in SHOWN if not metric.each}
        some = frame[frame["low"].notna()]
        kind = "interval" if result is rounds else "interval_with_games"
        assert all(getattr(known[name], kind) for name in some["metric"])
        absent = {name for name, metric in known.items() if getattr(metric, kind)}
        absent -= {*some["metric"], *frame.loc[frame["value"].isna(), "metric"]}
        assert absent == set()
        assert (some["low"] <= some["value"]).all()
        assert (some["value"] <= some["high"]).all()
    named = set(some["metric"])
    assert {"comebacks.after_last_share", "game.turns.mean", "win_share"} <= named
    assert "leads.changes.mean" not in named  # a game's rounds hang together


def intervals(part: Any, path: str = "") -> Iterator[tuple[str, list[float | None]]]:
    """Yield all intervals of a part of a summary, each with its path."""
    if isinstance(part, list):
        for entry in part:
            yield from intervals(entry, path)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name.endswith("_ci95"):
                yield f"{path}{name}", value
            else:
                yield from intervals(value, f"{path}{name}.")


@pytest.mark.parametrize("how_much", [{"rounds": 2}, {"rounds": 7}, {"rounds": 90}, {"games": 3}])
def test_every_interval_has_a_width_and_stays_within_what_is_possible(
    how_much: dict[str, int],
) -> None:
    players = "sharp,random,balanced,novice"
    summary = run(Study.of(players=players, seed=4, **how_much), progress=False).summary()
    found = list(intervals(summary))
    assert len(found) > 50
    known = [(path, ends) for path, ends in found if ends[0] is not None]
    assert known
    for path, (low, high) in known:
        assert low < high, path
        assert "share" not in path or 0 <= low < high <= 1, path
        assert not path.startswith(("recyclings", "turns", "leads")) or low >= 0, path


@pytest.mark.parametrize(("counts", "high"), [([[0, 1000]], 0.003), ([[0, 999], [1, 1]], 0.0048)])
def test_recyclings_that_are_rare(counts: list[list[int]], high: float) -> None:
    found = spread(counts, 0.95)
    assert found["mean_ci95"][0] == 0
    assert found["mean_ci95"][1] == pytest.approx(high, rel=0.02)


def test_where_all_plucks_hit_the_interval_is_what_so_many_can_say() -> None:
    found = run(Study.of(players="balanced,sharp", rounds=200, seed=3), progress=False).summary()
    for player in found["players"]:
        plucks = player["plucks"]
        assert plucks["missed"] == 0
        assert player["hit_rate"] == 1
        hits = sum(plucks.values())
        assert player["hit_rate_ci95"] == [wilson(hits, hits)[0], 1]


def test_every_metric_says_what_it_is_for() -> None:
    for metric in SHOWN:
        assert metric.purpose
        assert metric.description
        assert metric.text
        assert metric.range
    names = [(m.name, m.each, m.per_seat) for m in SHOWN]
    assert len(names) == len(set(names))


def test_metrics_are_tidy(result: Result) -> None:
    frame = result.tables()["metrics"]
    assert list(frame) == ["metric", "seat", "value", "low", "high"]
    row = frame[(frame["metric"] == "win_share") & (frame["seat"] == 1)].iloc[0]
    player = result.summary()["players"][1]
    assert [row["value"], row["low"], row["high"]] == [
        player["win_share"],
        *player["win_share_ci95"],
    ]
    assert not frame.duplicated(["metric", "seat"]).any()
    ends = frame[frame["metric"].str.startswith("ends.")]
    assert ends["value"].sum() == result.summary()["rounds"]
    assert ends["seat"].isna().all()


def test_histograms_are_tidy(result: Result) -> None:
    frame = result.tables()["histograms"]
    totals = frame.groupby("metric")["count"].sum().to_dict()
    summary = result.summary()
    rounds, calls = summary["rounds"], summary["bao"]["called"]
    expected = {"turns": rounds, "recyclings": rounds, "leads.changes": rounds}
    expected |= {f"by_end.{reason}": n for reason, n in summary["ends"].items() if n}
    lost = summary["leads"]["loser_led"]["rounds"]
    expected |= {f"leads.loser_led.{name}": lost for name in ("last_turn", "turns_left")}
    for name in ("turn", "total", "unknown"):
        expected[f"calls.{name}"] = calls
        outcomes = ("won", "tied", "beaten", "void")
        counts = {k: summary["bao"][k] for k in outcomes if summary["bao"][k]}
        expected |= {f"calls.by_{name}.{k}": n for k, n in counts.items()}
    if result.study.games:
        expected |= {"game.rounds": summary["games"], "comebacks.lead_changes": summary["games"]}
        expected["comebacks.deficit"] = summary["comebacks"]["games"]
    assert totals == expected


def test_records_are_there_only_where_kept(rounds: Result) -> None:
    with pytest.raises(InputError, match="no records were kept"):
        _ = rounds.records


# --- for people -----------------------------------------------------------------------------------


def test_text_fits_and_names_what_matters(result: Result) -> None:
    text = result.to_text()
    assert max(map(len, text.splitlines())) <= 100
    assert "second edition, deck five_per_value (assumed)" in text
    assert "rules changed" not in text
    assert all(player.name in text for player in result.study.players)
    assert str(result) == text


def test_text_of_a_crowded_table_fits() -> None:
    long = {"base": "balanced", "name": "a_player_with_quite_a_long_name_that_goes_on_and_on"}
    given = study([long] * 6, rules={"hand_size": {6: 5}, "peeks": 1, "shield": "none"}, games=30)
    text = run(given).to_text()
    assert max(map(len, text.splitlines())) <= 100
    assert "rules changed: hand_size.6=5, peeks=1, shield=none" in text
    assert "30 games to 100 points (assumed)" in text
    assert f"   3: {long['name']}" in text


def test_text_of_a_single_capped_round() -> None:
    text = run(study(["turtle"] * 2, rounds=1, rules={"max_turns": 1})).to_text()
    assert "turn cap 100 %" in text
    assert "1 round," in text


def test_title_stands_on_top(rounds: Result) -> None:
    assert rounds.to_text().startswith("Three at a table\n")


def test_repr_is_one_line(result: Result) -> None:
    assert "\n" not in repr(result)
    assert "seed 7: balanced" in repr(result)


def test_html_is_a_table_and_safe() -> None:
    player = {"base": "balanced", "name": "<b>"}
    page = run(study([player, "sharp"], rounds=20, title="a < b"))._repr_html_()
    assert page.partition("</table>")[0].count("<tr>") == 3
    assert "a &lt; b" in page
    assert "&lt;b&gt;" in page
    assert "<b><" not in page


# --- folders --------------------------------------------------------------------------------------


def test_results_differ_where_they_should(rounds: Result) -> None:
    assert run(rounds.study) == rounds
    assert run(rounds.study.with_changes(rounds=1999)) != rounds
    assert rounds != "something else"
