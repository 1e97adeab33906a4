"""What a text may be, wherever it comes from, and how wide it is on a terminal."""

import json
import random
import re
import sys
import unicodedata
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from click.testing import CliRunner

from analysis.text.terminal import align
from sim.cli import main
from sim.errors import InputError
from sim.game.deck import Deck
from sim.game.players import Player
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from sim.store.files import csv
from sim.texts import columns, cut, is_line, on_one_line, padded, printable
from sim.watch.scenario import Scenario

STRANGE = "\x00\x07\x1b\x7f\x85\x9b\u2028\u2029\u202e\u2066\ufeff\ufffe\uffff\ud800\udcff\U0001fffe"
BIRDS = {"a": {"value": 1, "copies": 30}}


def study(**more: Any) -> Study:
    return Study.of(players="balanced,sharp", rounds=1, **more)


PLACES: dict[str, Callable[[str], object]] = {
    "name": lambda text: study(name=text),
    "title": lambda text: study(title=text),
    "question": lambda text: study(question=text),
    "players.0.name": lambda text: study().with_changes(
        players=[{"base": "sharp", "name": text}, "sharp"]
    ),
    "character": lambda text: Player.of({"base": "sharp", "character": text}),
    "birds.a.name": lambda text: Deck.of({"birds": {"a": BIRDS["a"] | {"name": text}}}),
    "known": lambda text: Deck.of({"birds": BIRDS, "known": ["yes", text]}),
    "assumptions": lambda text: Deck.of({"birds": BIRDS, "assumptions": [text]}),
    "deck.title": lambda text: study(deck={"birds": BIRDS, "title": text}),
    "deck.name": lambda text: study(deck={"birds": BIRDS, "name": text}),
    "sweep.deck": lambda text: Sweep.of(study(), {"deck": ["five_per_value", text]}),
    "players.1.name": lambda text: Tournament.of(
        players=["sharp", {"base": "sharp", "name": text}], title="x"
    ),
}
"""Where the user's texts stand."""


@pytest.mark.parametrize("key", PLACES)
def test_what_is_not_printable_is_refused_wherever_it_stands(key: str) -> None:
    for strange in STRANGE:
        with pytest.raises(InputError) as caught:
            PLACES[key](f"a{strange}b")
        assert f"{caught.value.key}.".startswith(f"{key}.")
        assert re.search("line|text|sentences", str(caught.value.expected))
        assert is_line(str(caught.value))


@pytest.mark.parametrize("key", PLACES)
def test_what_people_write_is_taken(key: str) -> None:
    if key != "sweep.deck":  # there is no such deck
        PLACES[key]("$é_\\漢字 👩\u200d💻 שלום <b>&amp;</b> =1 \u200f 'x'")


def test_files_may_have_prose_on_several_lines() -> None:
    whole = study(title="\n Who\twins,\r\n  and how? \n", question="a\n\n  b")
    assert (whole.title, whole.question) == ("Who wins, and how?", "a b")
    assert Study.from_dict(whole.to_dict()) == whole
    assert on_one_line("  as  it stands ") == "  as  it stands "
    with pytest.raises(InputError, match=r"name: expected one line of printable text"):
        study(name="a\nb")
    scenario = "Draw\nand keep"
    data = {"title": scenario, "start": {"hands": [["bird_1"], ["bird_2"]]}}
    assert Scenario.model_validate(data).title == "Draw and keep"


def test_lines_are_what_xml_takes() -> None:
    letters = [chr(k) for k in range(sys.maxunicode + 1)]
    taken = [letter for letter in letters if is_line(letter)]
    ElementTree.fromstring(f"<a>{''.join(taken).translate({ord(c): None for c in '<&'})}</a>")
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in taken)
    assert len(letters) - len(taken) < 2048 + 200


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--players", "a\x1b[31m,sharp"],
        ["run", "no\x1b[31m.toml"],
        ["run", "--\x1b[31m"],
        ["run", "--rule", "shield=\x9b31m"],
        ["run", "--set", "0.\x1b[31m=3"],
        ["run", "--deck", "\u202ex.toml"],
        ["sweep", "--over", "0.\x1b[31m=3"],
        ["report", "no\x1b[31m"],
        ["check", "no\x1b[31m\n.toml"],
        ["list", "players", "\x1b[31m"],
        ["extend", "no\x1b[31m", "--rounds", "3"],
        ["\x1b[31m"],
    ],
)
def test_messages_have_no_control_characters(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    told = (done.stdout + done.stderr).splitlines()
    assert told
    assert all(map(is_line, told)), told
    assert re.search(r"\\x1b|\\x9b|\\u202e|\\u001b", done.stderr)


def test_keys_of_files_have_no_control_characters_in_messages() -> None:
    for data in ({"\x1b": 1}, {"deck": {"birds": {"\x1b": {}}}}, {"rules": {"\x1b": 1}}):
        with pytest.raises(InputError) as caught:
            Study.from_dict({"players": ["sharp", "sharp"], "rounds": 1, **data})
        assert is_line(str(caught.value))


def test_printable() -> None:
    assert printable("a\x1b\n\ud800é") == "a\\x1b\\n\\ud800é"
    assert printable("a\n\x00", keep="\n") == "a\n\\x00"


# --- terminals ------------------------------------------------------------------------------------


def test_wide_letters_take_two_columns_and_marks_none() -> None:
    assert columns("abc") == 3
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1
    assert cut("漢字x", 3) == "漢"
    assert padded("漢", 4) == "漢  "
    assert padded("漢", 4, right=True) == "  漢"
    lines = align([["漢字", "1"], ["e\u0301", "22"], ["abcd", "3"]], ("x", "n"))
    assert len({columns(line) for line in lines}) == 1


# --- tables ---------------------------------------------------------------------------------------


def test_no_text_of_a_csv_file_is_a_formula(tmp_path: Any) -> None:
    dice = random.Random(9)
    alphabet = "=+-@'\"\uff1d\uff20;,|a1. \u00a0e"
    texts = ["".join(dice.choices(alphabet, k=dice.randint(1, 8))) for _ in range(500)]
    texts += ["-3", "+2.5", "-1e-05", "-.5", "=5", "'5", "@1", "-1-1", "-1;=2"]
    frame = pd.DataFrame({"name": texts, "-n": range(len(texts)), "x": -1 / 3, "none": None})
    csv(tmp_path / "t.csv", frame)
    read = pd.read_csv(tmp_path / "t.csv", keep_default_na=False)
    for was, now in zip(texts, read["name"], strict=True):
        assert now.removeprefix("'") == was or now == was
        number = re.fullmatch(r"[-+](\d+\.?\d*|\.\d+)(e[-+]?\d+)?", now)
        assert number or now[0] not in "=+-@\uff1d\uff20"
        assert (now != was) == (was[0] in "=+-@'\uff1d\uff20" and not number)
    frame["name"] = "plain"
    csv(tmp_path / "t.csv", frame)
    usual = frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == usual


def test_json_of_a_message_survives() -> None:
    with pytest.raises(InputError) as caught:
        study(title="\x1b")
    assert json.loads(json.dumps(str(caught.value)))
