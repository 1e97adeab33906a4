"""Which two studies can be compared, who is rotated, and what differs between them."""

from typing import Any

import pytest

from analysis.results.comparison import Comparison
from sim.api import compare
from sim.errors import InputError
from sim.game.comparison import Comparing, changed
from sim.game.study import Study

pytestmark = pytest.mark.jit


ALIKE = ["balanced"] * 3


MIXED = ["balanced", "sharp", {"base": "balanced", "bao_threshold": 3}]


def study(players: Any = ALIKE, **changes: Any) -> Study:
    """Return a short study."""
    return Study.of(**({"players": players, "rounds": 600, "seed": 5} | changes))


def quiet(a: Any, b: Any = None, **options: Any) -> Comparison:
    return compare(a, b, progress=False, **options)


def test_the_seed_of_the_first_is_used() -> None:
    found = Comparing.of(study(seed=3), study(seed=9, rounds=500))
    assert (found.a.seed, found.b.seed) == (3, 3)
    assert found.b.rounds == 600
    assert any("seed 3" in note and "9" in note for note in found.notes)
    assert Comparing.of(study(seed=3), study(seed=9), seed=4).b.seed == 4


def test_rounds_are_rounded_up_to_full_blocks() -> None:
    found = Comparing.of(study(MIXED, rounds=100), study(MIXED, rounds=100))
    assert (found.a.rounds, found.blocks) == (102, 34)
    assert any("102" in note for note in found.notes)
    assert Comparing.of(study(rounds=100), study(rounds=100)).a.rounds == 100


def test_who_is_rotated() -> None:
    assert not Comparing.of(study(), study()).rotated
    assert Comparing.of(study(), study(MIXED)).rotated
    assert not Comparing.of(study(), study(["sharp"] * 3)).rotated
    assert not Comparing.of(study(MIXED), study(MIXED), rotate=False).rotated
    assert Comparing.of(study(), study(), rotate=True).rotated
    renamed = {"base": "balanced", "name": "me"}
    assert not Comparing.of(study(["balanced", renamed, "balanced"]), study()).rotated


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (study(["balanced"] * 4), "the first study has 3 players, the second 4"),
        (study(rounds=None, games=5), "one of rounds, the second one of games"),
    ],
)
def test_studies_that_cannot_be_compared(other: Study, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Comparing.of(study(), other)


def test_changes_are_named() -> None:
    a = study(MIXED)
    b = a.with_changes(
        rules={"shield": "none", "hand_size": {3: 5}},
        players=["balanced", {"base": "sharp", "bao_threshold": 1}, "random"],
    )
    found = changed(a, b)
    assert [{key: each[key] for key in ("what", "a", "b")} for each in found] == [
        {"what": "rules.hand_size.3", "a": 4, "b": 5},
        {"what": "rules.shield", "a": "after_first_change", "b": "none"},
        {
            "what": "players.1.bao_threshold",
            "a": a.players[1].values["bao_threshold"],
            "b": 1,
        },
        {"what": "players.2", "a": a.players[2].name, "b": "random"},
    ]
    meanings = [each["meaning"] for each in found]
    assert meanings[:2] == [
        "cards dealt to each player",
        "when the declarer's cards become protected",
    ]
    assert meanings[2].startswith("calls BAO at")
    assert meanings[3] == ""
    other = changed(a, a.with_changes(edition="first"))
    assert other[0] == {"what": "edition", "a": "second", "b": "first", "meaning": ""}


def test_of_tables_by_players_only_this_table_counts() -> None:
    a = study(MIXED)
    b = a.with_changes(rules={"game_threshold": 50})
    assert [(each["what"], each["a"], each["b"]) for each in changed(a, b)] == [
        ("rules.game_threshold.3", 100, 50)
    ]
    assert changed(a, a.with_changes(rules={"game_threshold": {2: 50}, "hand_size": {5: 5}})) == []
    found = quiet(a, b, rounds=30)
    assert found.summary()["b"]["rules_changed"] == {"game_threshold": {"3": 50}}
    text = " ".join(found.to_text().split())
    assert text.count("game_threshold") == 2  # what B is, and what was changed
    assert "rules.game_threshold 100 → 50 with 3 players" in text


def test_changes_of_the_deck_are_named() -> None:
    a = study()
    deck = {"base": "five_per_value", "name": "owls", "change": {"barn_owl": {"copies": 7}}}
    found = changed(a, a.with_changes(deck=deck))
    assert found[0] == {"what": "deck", "a": "five_per_value", "b": "owls", "meaning": ""}
    assert [each["what"] for each in found[1:]] == ["deck.barn_owl.copies"]
    assert found[1]["b"] == 7
