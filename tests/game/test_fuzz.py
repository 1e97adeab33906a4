"""Damaged files of every format that users write: taken, or refused as an `InputError`, at once.

Each format has a file or two with most of what it knows. They are damaged a few thousand times,
seeded: in bytes, in whole values and lines, and by values that are wrong in as many ways as can be.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.errors import InputError
from sim.game.rules import parse_rule_options
from sim.game.sweep import read_axis
from tests.support.chance import scaled

DAMAGED = 3000

RULES = """
peeks = 3
hand_size = { 2 = 6, "3" = 5 }
game_threshold.2 = 50
shield = "at_once"
bao = true
bao_failure_minimum = 10
max_turns = 1_000
"""

PLAYER = """
name = "mine"
character = "Ours."
base = "balanced"
bao_threshold = 7
attention = 0.5
unknown_value = "counted"
double_pluck = false
gift = "unknown"
forget_rate = 1e-2
"""

STUDY = f"""
title = "One"
question = "Why?"
players = ["sharp", {{ base = "balanced", bao_threshold = 3 }}, "own.toml"]
deck = "five_per_value"
edition = "second"
rounds = 2_000
seed = 7
[rules]{RULES}"""

FORMATS: dict[str, tuple[Any, ...]] = {
    "player": (sim.load_player, PLAYER),
    "deck": (
        sim.load_deck,
        """
base = "five_per_value"
title = "Changed"
assumed = true
known = ["a", "b"]
[change.barn_owl]
copies = 3
power = "look"
[birds.kingfisher]
name = "Kingfisher"
value = -9
family = "king"
copies = 2
""",
        "birds = [{ id = 'a', value = 1, copies = 40 }, { id = 'b', value = -2, copies = 20 }]\n"
        "assumptions = []\nname = 'ab'\n",
    ),
    "study": (sim.load_study, STUDY),
    "rules": (sim.load_study, f"players = ['sharp', 'random']\nrounds = 5\n[rules]{RULES}"),
    "sweep": (
        sim.load_sweep,
        """
players = ["sharp", "random"]
rounds = 10
[sweep]
focus = [0]
together = true
"0.bao_threshold" = { from = 2, to = 4, steps = 3 }
"all.reaction_mean" = [0, 0.5, 1]
"rules.hand_size.2" = [4, 5, 6]
"rules.shield" = ["none", "at_once", "none"]
"deck.barn_owl" = [3, 4, 5]
""",
        """
players = ["sharp", "random"]
games = 10
sweep.sample = 3
sweep.0.attention = { from = 0.5, to = 1 }
sweep.players = [2, 3, 4]
sweep.1.player = ["own.toml", "sharp", { base = "novice", attention = 1 }]
""",
    ),
    "tournament": (
        sim.load_tournament,
        """
title = "All"
players = ["sharp", "balanced", "own.toml", { base = "sharp", name = "b", attention = 0.1 }]
seats = 3
rounds = 1_000
seed = 7
deck = { base = "five_per_power", change = { macaw = { copies = 2 } } }
[rules]
peeks = 1
""",
    ),
    "scenario": (
        sim.check,
        """
title = "Draw and keep"
rules = ["TURN-1"]
editions = ["second"]
options = { peeks = 1 }
[start]
hands = [["bird_3", "bird_9"], ["bird_8", "-"]]
draw_pile = ["bird_1", "bird_5"]
discard_pile = ["bird_4"]
active = 0
knows = [[0, 0, 1]]
bao = { by = 1, shield = true, turns_left = 1 }
[[move]]
seat = 0
do = "draw"
[[move]]
seat = 0
do = "pluck"
targets = [[1, 0]]
refused = "SHIELD-2"
[[move]]
seat = 0
do = "keep"
slot = 1
[expect]
hands = [["bird_3", "bird_1"], ["bird_8", "-"]]
totals = [4, 8]
events = ["draw", "replace"]
""",
    ),
}

WRONG = (
    *("0", "-1", "2.5", "1e4", "1e400", "-0.0", "nan", "-inf", "9" * 5000, "0x" + "f" * 5000),
    *(
        "true",
        '"x"',
        '""',
        '"2"',
        '"none"',
        "'\\'",
        '"\\u0000"',
        '"\\uffff"',
        "1979-05-27",
        "07:32:00",
    ),
    *("[]", "{}", "[[]]", "[1, 2]", "[0.5]", '["sharp"]', "{ from = 0, to = 9e9, steps = 5 }"),
    *("{ a = 1 }", '{ base = "sharp" }', '{ base = "own.toml" }', '"own.toml"', '"no.toml"', '"."'),
    *("[" * 300, "{a=" * 300, "[" * 90 + "]" * 90, '"' + "x" * 2000 + '"', "[" + "7," * 5001 + "]"),
)
BYTES = (b"", b"\0", b"\xff", b"\n", b"=", b".", b'"', b"'", b"[", b"]", b"{", b"}", b"#", b"-")
VALUE = re.compile(rb"(?<== )[^\n,}]+|(?<=[\[ ])[\w.\"'-]+(?=[,\]])")


def damaged(text: bytes, dice: random.Random) -> bytes:
    """Return a text with one to three damages."""
    for _ in range(dice.randint(1, 3)):
        how = dice.random()
        at, other = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        lines = text.splitlines(keepends=True) or [b"\n"]
        values = list(VALUE.finditer(text))
        if how < 0.5 and values:
            begin, end = dice.choice(values).span()
            text = text[:begin] + dice.choice(WRONG).encode() + text[end:]
        elif how < 0.6:
            text = text[:at] + dice.choice(BYTES) + text[at + dice.randint(0, 2) :]
        elif how < 0.7:
            text = text[:at] + text[min(other, at + 20) :]
        elif how < 0.75:
            text = text[:at]
        elif how < 0.9:
            lines[dice.randrange(len(lines))] = dice.choice(lines)
            text = b"".join(lines)
        else:
            dice.shuffle(lines)
            text = b"".join(lines)
    return text


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_taken_or_refused(name: str, tmp_path: Path) -> None:
    load, *texts = FORMATS[name]
    (tmp_path / "own.toml").write_text(PLAYER)
    file = tmp_path / "damaged.toml"
    for text in texts:
        file.write_text(text)
        load(file)  # it is whole
    dice, came = random.Random(name), Counter[str]()
    for _ in range(scaled(DAMAGED, 100)):
        file.unlink()  # what is written over is brought to the disk, which takes long
        file.write_bytes(damaged(dice.choice(texts).encode(), dice))
        try:
            load(file)
            told = ""
        except InputError as error:
            told = str(error)
        came["refused" if told else "taken"] += 1
        assert not told or (re.search(r"(damaged|own)\.toml: ", told) and len(told) < 3000)
    assert min(came["refused"], came["taken"]) > 2


@pytest.mark.parametrize(
    ("read", "options"),
    [
        (lambda text: parse_rule_options([text]), RULES.replace(" ", "").split()),
        (
            lambda text: sim.Sweep.of(SMALL, dict([read_axis(text)])),
            ["0.bao_threshold=0,2", "all.attention={from=0,to=1,steps=2}", "deck.macaw=[1,2]",
             "rules.hand_size.2=3,4", "players=2,3", "edition=first,second", "0.player=sharp"],
        ),
    ],
    ids=["--rule", "--over"],
)  # fmt: skip
def test_a_damaged_option_is_taken_or_refused(
    read: Callable[[str], Any], options: list[str]
) -> None:
    dice = random.Random(1)
    for _ in range(scaled(DAMAGED // 3, 100)):
        text = f"{dice.choice(options)}\n".replace("=", "= ", 1).encode()
        with suppress(InputError):
            read(damaged(text, dice).decode(errors="surrogateescape").strip())


SMALL = sim.Study.of(players="balanced,sharp", rounds=5)
