"""What notebooks show: complete, safe, readable on light and dark pages."""

from html.parser import HTMLParser

import pytest

import sim
from sim.game.study import Study

STUDY = Study.of(
    players=["balanced", {"base": "sharp", "bao_threshold": 9, "name": "late"}, "novice"],
    rules={"bao_failure_minimum": 10},
    rounds=40,
    title="Is it <fair>?",
    question="Who wins & why?",
)


class Reader(HTMLParser):
    """Checks that tags are closed in order, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.styles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        self.styles += [value or "" for name, value in attrs if name == "style"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1].append(data)


def read(shown: object) -> Reader:
    reader = Reader()
    reader.feed(shown._repr_html_())  # type: ignore[attr-defined]
    assert reader.open == []
    assert not any("color" in style or "font" in style for style in reader.styles)
    return reader


def text(shown: object) -> str:
    return " ".join(" ".join(read(shown).words).split())


@pytest.mark.jit
def test_a_result_has_title_question_headline_and_all_seats() -> None:
    result = sim.run(STUDY, progress=False)
    shown = read(result)
    words = " ".join(shown.words)
    assert "Is it <fair>?" in words
    assert "Who wins & why?" in words
    assert "3 players, 40 rounds, seed 1" in words
    assert "rules changed: bao_failure_minimum=10" in words
    assert "rounds end: by BAO" in words
    assert [row[1] for row in shown.rows[1:4]] == ["balanced", "late", "novice"]


def test_a_study_tells_what_players_differ_by() -> None:
    shown = read(STUDY)
    late = next(row for row in shown.rows if "late" in row)
    assert "bao_threshold=9" in late[-1]
    assert "rules changed: bao_failure_minimum=10" in shown.words
    assert "40 rounds, seed 1" in shown.words


def test_a_player_shows_what_is_special_and_all_else_folded() -> None:
    rows = [row[0] for row in read(STUDY.players[1]).rows]
    assert rows.count("bao_threshold") == 2  # special, and among all
    assert rows.count("gift") == 1
    assert "all by default" in text(sim.Player.of("balanced"))


def test_rules_show_changes_and_all_options() -> None:
    rows = read(STUDY.rules).rows
    assert rows[1][:4] == ["bao_failure_minimum", "10", "5", "SCORE-4"]
    assert len(rows) == 1 + 1 + 1 + len(sim.Rules.options())
    assert "nothing is changed" in text(sim.Rules.of("first"))


def test_a_deck_shows_every_bird() -> None:
    deck = STUDY.deck
    rows = read(deck).rows[1:]
    assert [(row[0], int(row[1]), int(row[2])) for row in rows] == [
        (bird.name, bird.value, bird.copies) for bird in deck.birds
    ]
    assert "is an assumption" in text(deck)


@pytest.mark.jit
def test_a_trace_is_shown_whole() -> None:
    trace = sim.trace(STUDY, 3)
    assert trace.text().rstrip() in "".join(read(trace).words)


@pytest.mark.jit
def test_sweeps_and_tournaments() -> None:
    sweep = sim.Sweep.of(STUDY, {"1.bao_threshold": [2, 4]})
    assert "2 points of 40 rounds" in text(sweep)
    assert "1.bao_threshold: 2 values" in text(sweep)
    result = read(sim.sweep(sweep, progress=False))
    assert "Is it <fair>?" in result.words
    assert [row[0] for row in result.rows] == ["1.bao_threshold", "2", "4"]
    tournament = sim.Tournament.of(players="sharp,novice", seats=2, rounds=80)
    assert "sharp, novice" in text(tournament)
    assert read(sim.tournament(tournament, progress=False)).rows[1][1] == "sharp"


@pytest.mark.jit
def test_plots_are_listed_where_one_looks_for_them() -> None:
    plots = sim.run(STUDY, progress=False).plot
    rows = {row[0] for row in read(plots).rows}
    assert {f"{name}()" for name in dir(plots)} == rows
    assert "ends" in dir(plots)
    assert all(not name.startswith("_") for name in dir(plots))
    assert "how rounds end" in repr(plots)
