"""Catalogues of languages: complete, with the same places to fill in, and really translated."""

from __future__ import annotations

import re
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.words import DEFAULT, Language, language, languages
from sim.errors import InputError
from sim.game.deck import load_deck, shipped_decks
from sim.game.players import KINDS, load_player, shipped_players
from sim.game.rules import Rules

ENGLISH = language(DEFAULT)
OTHERS = [code for code in languages() if code != DEFAULT]

SAME = re.compile(
    r"language\.(group|decimal|spaced_marks|form_of_zero)|plot\.(\d)"
    r"|differences\.(a|b|difference)|bird\.(macaw|shoebill)|power\.(macaw|shoebill)"
    r"|metric_name\.(of|player)|change\.(from_to|rule_of|parameter)|number\.range|run\.player_share|tournament\.pair"
)
"""Entries that may be the same in two languages."""

COGNATES = {
    "it": {"value.no"},
    "fr": {"unit.points", "count.points", "rules.option"},
    "pt": set(),
    "es": {"value.no"},
}
"""Words that happen to be the same as in English."""


def shipped() -> set[str]:
    """Keys of what ships with the program and is told in a report."""
    keys = {f"rule.{option['name']}" for option in Rules.options()}
    keys |= {f"parameter.{spec['name']}" for kind in KINDS.values() for spec in kind.parameters()}
    keys |= {f"character.{name}" for name in shipped_players()}
    keys |= {f"deck.{text}" for name in shipped_decks() for text in load_deck(name).assumptions}
    return keys


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def texts(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def test_there_are_five() -> None:
    assert languages() == ("en", "es", "fr", "it", "pt")
    assert [language(code).code for code in languages()] == ["en", "es", "fr", "it", "pt-BR"]


def test_unknown_language() -> None:
    with pytest.raises(InputError, match="no such language"):
        language("de")


@pytest.mark.parametrize("code", OTHERS)
def test_all_keys(code: str) -> None:
    assert set(language(code).entries) == set(ENGLISH.entries) | shipped()


@pytest.mark.parametrize("code", OTHERS)
def test_same_places_to_fill_in(code: str) -> None:
    other = language(code)
    for key, entry in ENGLISH.entries.items():
        mine = texts(other.entries[key])
        assert isinstance(other.entries[key], str) == isinstance(entry, str), key
        for text in mine:
            assert fields(text) == fields(texts(entry)[0]), key


@pytest.mark.parametrize("code", OTHERS)
def test_nothing_left_in_english(code: str) -> None:
    other = language(code)
    left = {
        key
        for key, entry in ENGLISH.entries.items()
        if other.entries[key] == entry and not SAME.fullmatch(key)
    }
    assert left <= COGNATES[code]
    described = {option["name"]: option["description"] for option in Rules.options()}
    for name, text in described.items():
        assert other.entries[f"rule.{name}"] != text
    for name in shipped_players():
        assert other.entries[f"character.{name}"] != load_player(name).character


@pytest.mark.parametrize("code", languages())
def test_plural_forms(code: str) -> None:
    for key, entry in language(code).entries.items():
        if isinstance(entry, dict):
            assert set(entry) == {"one", "many", "other"}, key


@pytest.mark.parametrize("code", languages())
def test_every_bird_has_a_name(code: str) -> None:
    tongue = language(code)
    birds = {bird.id for name in shipped_decks() for bird in load_deck(name).birds}
    names = [tongue.text(f"bird.{bird}") for bird in birds]
    assert len(set(names)) == len(birds)


def test_birds_of_the_rulebooks() -> None:
    assert language("it").text("bird.shoebill") == "Becco a scarpa"
    assert language("fr").text("bird.barn_owl") == "Chouette effraie"
    assert language("es").text("bird.shoebill") == "Picozapato"
    assert language("pt").text("bird.golden_toucan") == "Tucano Dourado"


# --- numbers and plurals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "1,234.50"), ("it", "1.234,50"), ("es", "1.234,50"), ("pt", "1.234,50")],
)
def test_numbers(code: str, text: str) -> None:
    assert language(code).number(1234.5, 2) == text
    assert language(code).number(-1234.5, 2) == f"−{text}"


def test_french_numbers_and_marks() -> None:
    french = language("fr")
    assert french.number(1234.5, 1) == "1\N{NARROW NO-BREAK SPACE}234,5"
    assert "\N{NO-BREAK SPACE}:" in french.say("number.in_interval", interval="x")


def test_spaces_before_marks_end_no_line() -> None:
    french = language("fr")
    assert french.semicolon == "\N{NO-BREAK SPACE}; "
    assert ENGLISH.semicolon == "; "
    assert french.text("table.interval").endswith("95\N{NO-BREAK SPACE}%")
    assert ENGLISH.text("table.interval").startswith("95\N{NO-BREAK SPACE}%")


def test_plurals() -> None:
    said = {code: [] for code in languages()}
    for code in languages():
        for n in (0, 1, 2, 1_000_000, 1_500_000):
            said[code].append(str(language(code).counted("count.rounds", n)))
    assert said["en"] == ["0 rounds", "1 round", "2 rounds", "1,000,000 rounds", "1,500,000 rounds"]
    assert said["fr"][:3] == ["0 manche", "1 manche", "2 manches"]
    assert said["fr"][3].endswith("de manches")
    assert said["es"] == [
        "0 rondas", "1 ronda", "2 rondas", "1.000.000 de rondas", "1.500.000 rondas",
    ]  # fmt: skip


@pytest.mark.parametrize("code", languages())
@given(value=st.floats(-1e7, 1e7), places=st.integers(0, 4))
def test_numbers_are_read_back(code: str, value: float, places: int) -> None:
    tongue = language(code)
    assert abs(tongue.parse(tongue.number(value, places)) - value) <= 0.5001 * 10**-places
    assert "−0" not in tongue.number(-1e-9, places)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0"), (1, "100"), (1e-9, "<0.1"), (1 - 1e-9, ">99.9"), (0.5, "50.0"), (0.99949, "99.9")],
)
def test_percent(share: float, text: str) -> None:
    assert ENGLISH.percent(share, 1) == text


@pytest.mark.parametrize("games", [False, True])
def test_every_compared_number_has_a_name(games: bool) -> None:
    from sim.metrics import measures

    for measure in measures(4, games):
        told = (measure.name, f"{measure.name.removesuffix('.mean')}_mean")
        assert any(f"metric.{name}" in ENGLISH for name in told)
        assert f"unit.{measure.unit}" in ENGLISH


def test_markup_is_escaped() -> None:
    said = ENGLISH.say("comparison.title", what="<script>alert(1)</script>")
    assert "<script>" not in said


def test_many_is_for_whole_millions() -> None:
    made = Language("x", {"language": {
        "code": "x", "decimal": ",", "group": ".", "spaced_marks": "", "form_of_zero": "other",
    }, "count": {"n": {"one": "a {n}", "many": "b {n}", "other": "c {n}"}}})  # fmt: skip
    assert [str(made.counted("count.n", n))[0] for n in (0, 1, 2, 2_000_000, 2_000_001)] == list(
        "cacbc"
    )
