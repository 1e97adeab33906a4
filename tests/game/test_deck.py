"""Decks: what ships (CARD-1 to CARD-4), deck files, and how mistakes in them are told."""

import json
import pickle
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from sim.errors import InputError, nearest, show
from sim.game.base import digest
from sim.game.deck import MAX_BIRDS, MAX_CARDS, POWERS, Bird, Deck, load_deck, shipped_decks
from sim.game.files import read_toml

NAMED = {  # CARD-2: value, family, power; and the copies of both decks (CARD-3)
    "white_pelican": (7, "pelican", "look", 3, 5),
    "brown_pelican": (7, "pelican", "show", 2, 5),
    "barn_owl": (11, "barn_owl", "swap", 5, 5),
    "macaw": (12, "macaw", "macaw", 5, 5),
    "toco_toucan": (13, "toucan", "toco", 3, 4),
    "golden_toucan": (-5, "toucan", None, 1, 1),
    "shoebill": (13, "shoebill", "shoebill", 2, 5),
}
PLAIN = {f"bird_{n}": (n, f"bird_{n}", None, 5, 4) for n in (1, 2, 3, 4, 5, 6, 8, 9, 10)}
SHIPPED = {"five_per_value": 3, "five_per_power": 4}  # the column of copies


def deck(**birds: dict[str, object]) -> Deck:
    """Return a deck of the birds given; each has a value and copies unless stated."""
    return Deck.of(
        {"birds": {id_: {"value": 1, "copies": 1} | bird for id_, bird in birds.items()}}
    )


def message(data: object, folder: Path | None = None) -> str:
    """Return the message with which `Deck.of` refuses `data`."""
    with pytest.raises(InputError) as caught:
        Deck.of(data, folder=folder)  # type: ignore[arg-type]
    return str(caught.value)


# --- what ships ---------------------------------------------------------------------------------


def test_the_two_decks_of_the_rulebook_ship() -> None:
    assert set(shipped_decks()) == set(SHIPPED)


@pytest.mark.parametrize(("name", "column"), SHIPPED.items())
def test_a_shipped_deck_is_as_card_3_says(name: str, column: int) -> None:
    found = load_deck(name)
    expected = {id_: (*facts[:3], facts[column]) for id_, facts in (NAMED | PLAIN).items()}
    assert {b.id: (b.value, b.family, b.power, b.copies) for b in found.birds} == expected
    assert found.size == len(found.cards) == 66
    assert found.name == name
    assert found.title
    assert found.assumed
    assert found.known
    assert found.assumptions


def test_five_per_value_has_five_cards_of_each_value() -> None:
    found = load_deck("five_per_value")
    counts: dict[int, int] = {}
    for index in found.cards:
        value = found.birds[index].value
        counts[value] = counts.get(value, 0) + 1
    assert counts == {-5: 1} | dict.fromkeys(range(1, 14), 5)


def test_five_per_power_has_five_of_each_power_family_and_four_of_each_plain_bird() -> None:
    counts: dict[str, int] = {}
    for bird in load_deck("five_per_power").birds:
        kind = "toucan" if bird.family == "toucan" else bird.id
        counts[kind] = counts.get(kind, 0) + bird.copies
    powers = ("white_pelican", "brown_pelican", "barn_owl", "macaw", "shoebill", "toucan")
    assert counts == dict.fromkeys(powers, 5) | dict.fromkeys(PLAIN, 4)


@pytest.mark.parametrize("name", SHIPPED)
def test_matches_are_those_of_card_4(name: str) -> None:
    found = load_deck(name)
    families: dict[str, set[str]] = {}
    for bird in found.birds:
        families.setdefault(bird.family, set()).add(bird.id)
    shared = {frozenset(ids) for ids in families.values() if len(ids) > 1}
    assert shared == {
        frozenset({"white_pelican", "brown_pelican"}),
        frozenset({"toco_toucan", "golden_toucan"}),
    }


def test_shipped_decks_have_different_fingerprints() -> None:
    assert len({load_deck(name).fingerprint for name in shipped_decks()}) == 2


# --- the deck object ----------------------------------------------------------------------------


def test_cards_of_a_family_are_contiguous_and_birds_ascend() -> None:
    found = deck(
        a={"value": 2, "copies": 2, "family": "x"},
        b={"value": 5, "copies": 3},
        c={"value": 9, "family": "x"},
    )
    assert [bird.id for bird in found.birds] == ["b", "a", "c"]
    assert found.cards == (0, 0, 0, 1, 1, 2)
    assert found.families == ("b", "x")


def test_the_order_in_a_file_does_not_matter() -> None:
    birds = load_deck("five_per_value").to_dict()["birds"]
    backwards = Deck.of({"birds": dict(reversed(birds.items()))})
    assert backwards.birds == load_deck("five_per_value").birds
    assert backwards.fingerprint == load_deck("five_per_value").fingerprint


def test_a_bird_without_copies_is_left_out() -> None:
    assert deck(a={}, b={"copies": 0}).birds == deck(a={}).birds


def test_names_and_families_are_made_up_where_a_bird_has_none() -> None:
    (bird,) = deck(grey_heron={}).birds
    assert (bird.name, bird.family, bird.power) == ("Grey Heron", "grey_heron", None)


@pytest.mark.parametrize(
    "change", [{"value": 2}, {"copies": 2}, {"power": "toco"}, {"family": "other"}]
)
def test_the_fingerprint_tells_what_is_played(change: dict[str, object]) -> None:
    assert deck(a=change).fingerprint != deck(a={}).fingerprint


def test_the_fingerprint_ignores_names_and_titles() -> None:
    data = load_deck("five_per_value").to_dict()
    data |= {"name": "x", "title": "x", "assumed": False, "known": [], "assumptions": ["x"]}
    data["birds"]["macaw"]["name"] = "x"
    assert Deck.of(data) != load_deck("five_per_value")
    assert Deck.of(data).fingerprint == load_deck("five_per_value").fingerprint


def test_a_fingerprint_is_the_same_on_every_machine() -> None:
    text = rb'{"a":[true,null,0.5,"\u00e9"],"b":1}'
    assert digest({"b": 1, "a": [True, None, 0.5, "é"]}) == sha256(text).hexdigest()[:16]


@pytest.mark.parametrize("name", SHIPPED)
def test_to_dict_goes_through_json_and_back(name: str) -> None:
    found = load_deck(name)
    assert Deck.of(json.loads(json.dumps(found.to_dict()))) == found
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_deck_is_frozen_and_hashable() -> None:
    found, field = load_deck("five_per_value"), "name"
    with pytest.raises(ValidationError, match="frozen"):
        setattr(found, field, "other")
    assert hash(found) == hash(load_deck("five_per_value"))


def test_birds_may_be_objects_or_a_list() -> None:
    bird = Bird(id="a", value=1, copies=1)
    listed = Deck.of({"birds": [{"id": "a", "value": 1, "copies": 1}]})
    assert Deck(birds=(bird,)) == listed == deck(a={})


def test_an_index_is_a_place_among_the_birds() -> None:
    found = load_deck("five_per_value")
    assert found.birds[found.index("macaw")].id == "macaw"
    with pytest.raises(InputError, match="did you mean 'macaw'"):
        found.index("makaw")


def test_scalars_of_numpy_are_numbers() -> None:
    assert deck(a={"copies": np.int64(3), "value": np.int8(-2)}) == deck(
        a={"copies": 3, "value": -2}
    )


# --- bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-99, 0, 99])
def test_values_within_bounds_are_taken(value: int) -> None:
    assert deck(a={"value": value}).birds[0].value == value


@pytest.mark.parametrize("power", POWERS)
def test_every_power_is_taken(power: str) -> None:
    assert deck(a={"power": power}).birds[0].power == power


def test_as_many_cards_as_the_engine_holds_are_taken() -> None:
    assert deck(a={"copies": MAX_CARDS}).size == MAX_CARDS
    assert len(deck(**{f"b{i}": {} for i in range(MAX_BIRDS)}).birds) == MAX_BIRDS


@pytest.mark.parametrize(
    ("birds", "expected"),
    [
        (
            {"a": {"value": 100}},
            "birds.a.value: expected a whole number from -99 to 99, got 100",
        ),
        (
            {"a": {"value": True}},
            "birds.a.value: expected a whole number from -99 to 99, got true",
        ),
        (
            {"a": {"copies": 2.5}},
            "birds.a.copies: expected a whole number from 0 to 128, got 2.5",
        ),
        (
            {"a": {"copies": -1}},
            "birds.a.copies: expected a whole number from 0 to 128, got -1",
        ),
        (
            {"a": {"power": "swop"}},
            'birds.a.power: expected "look", "show", "swap", "macaw", "toco" or "shoebill", '
            "got \"swop\"; did you mean 'swap'?",
        ),
        (
            {"a": {"familly": "x"}},
            "birds.a.familly: no such key, expected id, name, value, family, power or copies; "
            "did you mean 'family'?",
        ),
        (
            {"A b": {}},
            'birds.A b.id: expected an id of lower-case letters, digits and underscores, got "A b"',
        ),
        ({"a": {"id": "b"}}, 'birds.a: the id is the table\'s name, expected "a", got "b"'),
        ({"a": {"copies": 0}}, "birds: expected 1 to 128 cards in all, got 0"),
        ({"a": {"copies": 128}, "b": {}}, "birds: expected 1 to 128 cards in all, got 129"),
        ({f"b{i}": {} for i in range(65)}, "birds: expected at most 64 different birds, got 65"),
    ],
)
def test_a_wrong_bird_is_refused(birds: dict[str, dict[str, object]], expected: str) -> None:
    full = {id_: {"value": 1, "copies": 1} | bird for id_, bird in birds.items()}
    assert message({"birds": full}) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, "birds: missing, expected a table of birds by id"),
        ({"birds": 3}, "birds: expected a table of birds by id, got 3"),
        ({"birds": {"a": 3}}, "birds.a: expected a table with value and copies, got 3"),
        (
            {"birds": {"a": {"value": 1, "copys": 1}}},
            "birds.a.copys: no such key, expected id, name, value, family, power or copies; "
            "did you mean 'copies'? (also wrong: copies is missing)",
        ),
        (
            {"birds": {"a": {"value": 1, "copies": 1}}, "assumed": "yes"},
            'assumed: expected true or false, got "yes"',
        ),
        (
            {"birds": [{"id": "a", "value": 1, "copies": 1}] * 2},
            'birds: the same bird twice, got "a"',
        ),
        ({"change": {}}, "base: changes need a deck to change, expected a deck's name"),
        (3, "expected a deck's name, a path or a table, got 3"),
        (
            "five_per_valu",
            "no such deck, expected five_per_power or five_per_value, or the path of a TOML "
            "file, got \"five_per_valu\"; did you mean 'five_per_value'?",
        ),
    ],
)
def test_a_wrong_deck_is_refused(data: object, expected: str) -> None:
    assert message(data) == expected


# --- changes to a base --------------------------------------------------------------------------


def test_a_base_is_changed_and_added_to() -> None:
    base = load_deck("five_per_value")
    found = Deck.of(
        {
            "base": "five_per_value",
            "change": {"barn_owl": {"copies": 3, "power": ""}, "bird_1": {"copies": 0}},
            "birds": {"kingfisher": {"value": 9, "copies": 2}},
        }
    )
    assert found.size == 66 - 2 - 5 + 2
    owl = found.birds[found.index("barn_owl")]
    assert (owl.value, owl.power, owl.copies) == (11, None, 3)
    assert "bird_1" not in [bird.id for bird in found.birds]
    assert found.assumed
    assert found.name == "five_per_value (changed)"
    assert found.title == "five_per_value, changed: barn_owl, bird_1, kingfisher"
    assert found.assumptions == (
        *(f"Of five_per_value, before it was changed: {one}" for one in base.assumptions),
        "Changed from five_per_value: barn_owl, bird_1, kingfisher.",
    )


def test_bases_may_follow_one_another_relative_to_each_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.toml").write_text('base = "../b.toml"\nchange.macaw.copies = 1\n')
    (tmp_path / "b.toml").write_text('base = "five_per_value"\nchange.barn_owl.copies = 1\n')
    found = load_deck(tmp_path / "sub" / "a.toml")
    assert found.name == "a"
    assert [found.birds[found.index(id_)].copies for id_ in ("macaw", "barn_owl")] == [1, 1]
    assert Deck.of("sub/a.toml", folder=tmp_path) == found


def test_a_circle_of_bases_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('base = "b.toml"\n')
    (tmp_path / "b.toml").write_text('base = "a.toml"\n')
    assert message("a.toml", tmp_path) == (
        f"{tmp_path / 'a.toml'}: base: a circle of bases: a.toml -> b.toml -> a.toml"
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"change": {"barn_ow": {}}},
            "change.barn_ow: no such bird in deck 'five_per_value'; did you mean 'barn_owl'?",
        ),
        (
            {"change": {"barn_owl": {"copies": "3"}}},
            'change.barn_owl.copies: expected a whole number from 0 to 128, got "3"',
        ),
        ({"change": {"barn_owl": 3}}, "change.barn_owl: expected a table, got 3"),
        ({"change": 3}, "change: expected a table, got 3"),
        (
            {"birds": {"macaw": {"value": 1, "copies": 1}}},
            "birds.macaw: deck 'five_per_value' has this bird already, expected [change.macaw]",
        ),
        ({"base": 3}, "base: expected a deck's name, a path or a table, got 3"),
    ],
)
def test_a_wrong_change_is_refused(change: dict[str, object], expected: str) -> None:
    assert message({"base": "five_per_value"} | change) == expected


# --- files --------------------------------------------------------------------------------------


def test_a_mistake_in_a_file_names_file_and_key(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[birds.a]\nvalue = 200\ncopies = 1\n")
    assert message(file) == (
        f"{file}: birds.a.value: expected a whole number from -99 to 99, got 200"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a = 1\nb = \n", "line 2, column 5: not valid TOML: Invalid value"),
        (b"a", "not valid TOML: Expected '=' after a key in a key/value pair"),
        (b"a = 1\nb = '\xff'\n", "line 2: not UTF-8 text"),
        (b"a = " + b"[" * 5000, "not usable TOML: nested too deeply"),
    ],
)
def test_malformed_toml_is_told_with_its_position(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    file = tmp_path / "broken.toml"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_toml(file)
    told = str(caught.value)
    assert told.startswith(f"{file}: ")
    assert expected in told


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "mark.toml"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    assert read_toml(file) == {"a": 1}


def test_a_missing_file_is_told_with_the_nearest_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "birds.toml").write_text("")
    missing = tmp_path / "brids.toml"
    assert message(missing) == (
        f"{missing}: no such file; did you mean '{tmp_path / 'birds.toml'}'?"
    )
    assert message(tmp_path / "zzz" / "x.toml") == f"{tmp_path / 'zzz' / 'x.toml'}: no such file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert message(tmp_path) == f"{tmp_path}: is a folder, expected a TOML file"


def test_an_unreadable_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.toml").touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert message(tmp_path / "a.toml") == (
        f"{tmp_path / 'a.toml'}: cannot be read: Permission denied"
    )


def test_a_path_that_cannot_be_is_told() -> None:
    assert "cannot be read" in message("a\0b.toml")
    assert "cannot be read" in message("x" * 5000 + ".toml")


# --- words --------------------------------------------------------------------------------------


def test_an_error_keeps_its_parts_through_pickle_and_places() -> None:
    error = InputError("bad", key="b", expected="x", got=True, nearest="c", others=["d"])
    outside = error.inside("a", "f.toml")
    assert (
        str(outside) == "f.toml: a.b: bad, expected x, got true; did you mean 'c'? (also wrong: d)"
    )
    assert str(outside.inside("z", "other.toml")) == str(outside)
    assert str(pickle.loads(pickle.dumps(outside))) == str(outside)
    assert (outside.where, outside.key, outside.got) == ("f.toml", "a.b", True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Barn-Owl", "barn_owl"), ("barnowl", "barn_owl"), ("xyz", None), (3, None)],
)
def test_the_nearest_name_ignores_case_and_hyphens(name: object, expected: str | None) -> None:
    assert nearest(name, ["barn_owl", "macaw"]) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, "true"), ("a", '"a"'), (None, "null"), ([1], "[1]"), ("x" * 99, '"' + "x" * 58 + "…")],
)
def test_values_are_shown_as_in_a_file(value: object, expected: str) -> None:
    assert show(value) == expected
