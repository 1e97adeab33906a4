"""The conformance suite: every scenario file holds, and the checker notices what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.errors import InputError
from sim.game.rules import EDITIONS
from sim.watch.scenario import Scenario, check

FOLDER = Path(__file__).parents[1] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))

START = """
[start]
hands = [["bird_3", "bird_9"], ["bird_8", "bird_2"], ["bird_8", "-"]]
draw_pile = ["bird_8", "bird_5", "bird_6"]
discard_pile = ["bird_4"]
"""
DRAW = '[[move]]\nseat = 0\ndo = "draw"\n'
DISCARD = '[[move]]\nseat = 0\ndo = "discard"\n'


def write(folder: Path, *parts: str, start: str = START, head: str = "") -> Path:
    path = folder / "scenario.toml"
    path.write_text(head + start + "".join(parts), encoding="utf-8")
    return path


def move(seat: int, do: str, **keys: str) -> str:
    more = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return f'[[move]]\nseat = {seat}\ndo = "{do}"\n{more}'


def expect(text: str) -> str:
    return f"[expect]\n{text}\n"


def difference(folder: Path, *parts: str, **more: str) -> str:
    """What `check` says of a scenario that must fail."""
    outcome = check(write(folder, *parts, **more))
    assert not outcome.ok
    assert outcome.line() == outcome.difference
    return str(outcome.difference)


def names(error: InputError, key: str) -> bool:
    """Whether the error names a dotted key, or at least its last parts."""
    return error.key is not None and f".{key}".endswith(f".{error.key}")


def mistake(folder: Path, *parts: str, **more: str) -> InputError:
    """The error of a file that must be refused; it names the file."""
    path = write(folder, *parts, **more)
    with pytest.raises(InputError) as caught:
        check(path)
    assert str(path) in str(caught.value)
    return caught.value


# --- the suite ----------------------------------------------------------------------------------


def test_the_suite_is_there() -> None:
    assert len(FILES) >= 94 + 25
    numbers = [path.name.split("-")[0] for path in FILES]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    outcome = check(path)
    assert outcome.ok, outcome.line()
    assert outcome.line() == "ok"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario_says_what_it_is_about_and_expects_something(path: Path) -> None:
    scenario = Scenario.from_file(path)
    assert scenario.title
    assert scenario.rules
    named = scenario.expect.model_dump(exclude_none=True)
    assert set(named) - {"title"}


def test_rules_named_in_the_suite_have_an_id_of_the_rulebook() -> None:
    families = {
        "CARD", "SET", "SLOT", "TURN", "PLUCK", "DOUBLE", "POW", "BAO", "SHIELD", "REC", "FINAL",
        "SCORE", "ZERO", "INV", "KNOW", "SIM",
    }  # fmt: skip
    for path in FILES:
        for rule in Scenario.from_file(path).rules:
            assert rule.split("-")[0] in families, path.name


# --- a difference is found and named ------------------------------------------------------------


WRONG = {
    "hands": 'hands = [["bird_3", "bird_9"], ["bird_8", "bird_2"], ["bird_8"]]',
    "discard_pile": 'discard_pile = ["bird_8", "bird_4"]',
    "draw_pile": 'draw_pile = ["bird_6", "bird_5"]',
    "under_pile": 'under_pile = ["bird_1"]',
    "recyclings": "recyclings = 1",
    "shield": "shield = true",
    "bao_by": "bao_by = 0",
    "active": "active = 2",
    "end": 'end = "bao"',
    "totals": "totals = [12, 10, 9]",
    "scores": "scores = [12, 10, 8]",
    "winners": "winners = [2]",
    "events": 'events = ["turn", "draw"]',
    "knows": "knows = [[0, 0, 0]]",
}
RIGHT = {
    "hands": 'hands = [["bird_3", "bird_9"], ["bird_8", "bird_2"], ["bird_8", "-"]]',
    "discard_pile": 'discard_pile = ["bird_4", "bird_8"]',
    "draw_pile": 'draw_pile = ["bird_5", "bird_6"]',
    "under_pile": "under_pile = []",
    "recyclings": "recyclings = 0",
    "shield": "shield = false",
    "bao_by": 'bao_by = "none"',
    "active": "active = 1",
    "end": 'end = "none"',
    "totals": "totals = [12, 10, 8]",
    "events": 'events = ["turn", "draw", "discard"]',
    "knows_not": "knows_not = [[0, 0, 0], [1, 1, 1]]",
}


@pytest.mark.parametrize("key", WRONG)
def test_wrong_expectation_fails_with_its_key(tmp_path: Path, key: str) -> None:
    found = difference(tmp_path, DRAW, DISCARD, expect(WRONG[key]))
    assert found.startswith(f"[second] {key}: ")


@pytest.mark.parametrize("key", RIGHT)
def test_right_expectation_holds(tmp_path: Path, key: str) -> None:
    assert check(write(tmp_path, DRAW, DISCARD, expect(RIGHT[key]))).ok


def test_difference_shows_both_sides(tmp_path: Path) -> None:
    found = difference(tmp_path, DRAW, DISCARD, expect(WRONG["draw_pile"]))
    assert found == (
        '[second] draw_pile: expected ["bird_6", "bird_5"], found ["bird_5", "bird_6"]'
    )


def test_difference_in_the_first_edition_alone(tmp_path: Path) -> None:
    """A penalty fills the hole in the second edition, and takes a new slot in the first."""
    start = START.replace('["bird_3", "bird_9"]', '["bird_3", "-"]')
    pluck = move(0, "pluck", targets="[[0, 0]]")
    right = expect('hands = [["bird_3", "bird_5"], ["bird_8", "bird_2"], ["bird_8", "-"]]')
    found = difference(tmp_path, DRAW, pluck, right, start=start)
    assert found.startswith("[first] hands: ")
    assert '"bird_3", "-", "bird_5"' in found


def test_known_cards_are_told(tmp_path: Path) -> None:
    start = START + "knows = [[1, 0, 0]]\n"
    found = difference(tmp_path, DRAW, DISCARD, expect("knows_not = [[1, 0, 0]]"), start=start)
    assert found == "[second] knows_not: seat 1 knows [0, 0]"
    assert check(write(tmp_path, DRAW, DISCARD, expect("knows = [[1, 0, 0]]"), start=start)).ok


@pytest.mark.parametrize("edition", EDITIONS)
def test_editions_are_played_as_named(tmp_path: Path, edition: str) -> None:
    head = f'editions = ["{edition}"]\n'
    double = move(0, "discard") + move(1, "pluck", targets="[[1, 0], [2, 0]]", gifts="[1]")
    path = write(tmp_path, DRAW, double, head=head)
    if edition == "second":
        assert check(path).ok
    else:
        assert "refused by" in check(path).line()


# --- refused moves ------------------------------------------------------------------------------


def test_unmarked_refused_move_fails(tmp_path: Path) -> None:
    found = difference(tmp_path, DRAW, move(0, "keep", slot="3"))
    assert found == "[second] move.1 ('keep' of seat 0): refused by SLOT-2"


def test_allowed_move_marked_refused_fails(tmp_path: Path) -> None:
    found = difference(tmp_path, DRAW, move(0, "keep", slot="0", refused='"SLOT-2"'))
    assert "move.1 ('keep' of seat 0): expected to be refused by SLOT-2, it is allowed" in found


def test_move_refused_by_another_rule_fails(tmp_path: Path) -> None:
    found = difference(tmp_path, DRAW, move(0, "keep", slot="3", refused='"TURN-6"'))
    assert "expected to be refused by TURN-6, it is refused by SLOT-2" in found


@pytest.mark.parametrize("named", ['"SLOT-2"', '["TURN-6", "SLOT-2"]'])
def test_one_of_the_named_rules_will_do(tmp_path: Path, named: str) -> None:
    assert check(write(tmp_path, DRAW, move(0, "keep", slot="3", refused=named), DISCARD)).ok


def test_refused_by_a_rule_that_refuses_nothing_fails(tmp_path: Path) -> None:
    found = difference(tmp_path, DRAW, move(0, "keep", slot="0", refused='"SCORE-1"'))
    assert "expected to be refused by SCORE-1, it is allowed" in found


@pytest.mark.parametrize("do", ["claim", "late claim", "bao", "pass"])
def test_unmarked_refusals_at_every_kind_of_question(tmp_path: Path, do: str) -> None:
    moves = {
        "claim": move(1, "pluck", targets="[[2, 1]]", gifts="[0]"),
        "late claim": move(1, "pluck", targets="[[1, 0]]") + move(2, "pluck", targets="[[2, 0]]"),
        "bao": move(1, "bao"),
        "pass": move(0, "pass"),
    }[do]
    start = START.replace('"bird_8", "bird_5"', '"white_pelican", "bird_5"')
    found = difference(tmp_path, DRAW, DISCARD, moves, start=start if do == "pass" else START)
    rule = {"claim": "PLUCK-8", "late claim": "PLUCK-2", "bao": "BAO-1", "pass": "POW-5"}[do]
    assert rule in found


# --- mistakes in files --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "key", "asked"),
    [
        ((DISCARD,), "move.0", "'draw or take' of seat 0"),
        ((move(1, "draw"),), "move.0", "'draw or take' of seat 0"),
        ((DRAW, DRAW), "move.1", "'keep, discard or pluck' of seat 0"),
        ((DRAW, DISCARD, move(0, "look", target="[0, 0]")), "move.2", "of seat 1"),
        ((DRAW, DISCARD, move(1, "pass")), "move.2", "'draw or take' of seat 1"),
    ],
)
def test_move_not_asked_for(tmp_path: Path, parts: tuple[str, ...], key: str, asked: str) -> None:
    error = mistake(tmp_path, *parts)
    assert error.key == key
    assert "not the move being asked for" in str(error)
    assert asked in str(error)


def test_moves_that_stop_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    error = mistake(tmp_path, DRAW)
    assert error.key == "move"
    assert "stop in the middle of a turn" in str(error)
    assert "'keep, discard or pluck' of seat 0" in str(error)


def test_moves_after_the_end(tmp_path: Path) -> None:
    error = mistake(tmp_path, DRAW, DISCARD, move(1, "draw"), head="options = { max_turns = 1 }\n")
    assert error.key == "move.2"
    assert "ended" in str(error)


@pytest.mark.parametrize(
    ("good", "bad", "key"),
    [
        ('"bird_3"', '"bird_33"', "start.hands.0"),
        ('"bird_5"', '"brid_5"', "start.draw_pile"),
        ('["bird_4"]', '["bird_44"]', "start.discard_pile"),
    ],
)
def test_unknown_card(tmp_path: Path, good: str, bad: str, key: str) -> None:
    error = mistake(tmp_path, DRAW, DISCARD, start=START.replace(good, bad))
    assert error.key == key
    assert error.nearest is not None
    assert error.nearest.startswith("bird_")
    assert "did you mean" in str(error)


def test_unknown_card_in_a_recycling(tmp_path: Path) -> None:
    error = mistake(tmp_path, DRAW, DISCARD, start=START + 'recycled = [["macau"]]\n')
    assert (error.key, error.nearest) == ("start.recycled", "macaw")


@pytest.mark.parametrize(
    ("parts", "start", "key", "near"),
    [
        ((DRAW, DISCARD), START.replace("draw_pile", "draw_pil"), "start.draw_pil", "draw_pile"),
        ((DRAW, DISCARD, expect("totalls = []")), START, "expect.totalls", "totals"),
        ((DRAW, DISCARD + "tagret = [0, 0]\n"), START, "move.1.tagret", "target"),
        ((DRAW, DISCARD), "titel = 'x'\n" + START, "titel", "title"),
        ((DRAW, DISCARD), "options = { peks = 1 }\n" + START, "options.peks", "peeks"),
    ],
)
def test_unknown_key(
    tmp_path: Path, parts: tuple[str, ...], start: str, key: str, near: str
) -> None:
    error = mistake(tmp_path, *parts, start=start)
    assert names(error, key)
    assert error.nearest == near
    assert f"did you mean '{near}'?" in str(error)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (START + "active = 3\n", "start.active"),
        (START + "bao = { by = 3, turns_left = 1 }\n", "start.bao.by"),
        (START + "final_phase = { by = 5, turns_left = 1 }\n", "start.final_phase.by"),
        (START + "bao = { by = 0, turns_left = 3 }\n", "start.bao.turns_left"),
        (START + "knows = [[3, 0, 0]]\n", "start.knows.0"),
        (START + "knows = [[0, 3, 0]]\n", "start.knows.0"),
        (START + "knows = [[0, 0, 0], [0, 2, 1]]\n", "start.knows.1"),
        (START + "active = 9\n", "start.active"),
        (
            START + "bao = { by = 0, turns_left = 1 }\nfinal_phase = { by = 1, turns_left = 1 }\n",
            "start.final_phase",
        ),
    ],
)
def test_bad_seat_in_a_position(tmp_path: Path, text: str, key: str) -> None:
    error = mistake(tmp_path, DRAW, DISCARD, start=text)
    assert names(error, key)


@pytest.mark.parametrize(
    ("bad", "key"),
    [
        (move(3, "draw"), "move.2.seat"),
        (move(1, "pluck", targets="[[1, 0], [4, 0]]"), "move.2.targets.1"),
        (move(0, "look", target="[3, 0]"), "move.2.target"),
        (move(0, "swap", a="[3, 0]", b="[0, 0]"), "move.2.a"),
        (move(0, "macaw", a="[0, 0]", b="[5, 0]", swap="true"), "move.2.b"),
        (move(0, "toco", to="3"), "move.2.to"),
        (move(0, "shoebill", rival="[0, 3, 0]"), "move.2.rival"),
    ],
)
def test_bad_seat_in_a_move(tmp_path: Path, bad: str, key: str) -> None:
    error = mistake(tmp_path, DRAW, DISCARD, bad)
    assert error.key == key
    assert "a seat, 0 to 2" in str(error)


@pytest.mark.parametrize(
    ("bad", "key"),
    [
        (move(0, "keep"), "slot"),
        (move(0, "pluck"), "targets"),
        (move(0, "look"), "target"),
        (move(0, "macaw", a="[0, 0]", b="[1, 0]"), "swap"),
        (move(0, "discard", slot="1"), "slot"),
        (move(0, "pluck", targets="[[0, 0], [0, 1], [1, 0]]"), "targets"),
        (move(0, "pluck", targets="[[1, 0]]", gifts="[0, 1, 2]"), "gifts"),
    ],
)
def test_keys_of_a_move(tmp_path: Path, bad: str, key: str) -> None:
    error = mistake(tmp_path, DRAW, bad)
    assert names(error, f"move.1.{key}")


def test_no_such_move(tmp_path: Path) -> None:
    error = mistake(tmp_path, move(0, "darw"))
    assert names(error, "move.0.do")
    assert error.nearest == "draw"


@pytest.mark.parametrize(
    "recycled", ['[["bird_4", "bird_4"]]', '[["bird_6"]]', "[[]]", '[["bird_4", "bird_1"]]']
)
def test_recycled_must_hold_the_recycled_cards(tmp_path: Path, recycled: str) -> None:
    """Seat 0 draws the only card; what seat 1 recycles is the bird_4."""
    start = START.replace('["bird_8", "bird_5", "bird_6"]', '["bird_8"]')
    start += f"recycled = {recycled}\n"
    turns = (DRAW, DISCARD, move(1, "draw"), move(1, "discard"))
    error = mistake(tmp_path, *turns, start=start)
    assert error.key == "start.recycled.0"
    right = start.replace(recycled, '[["bird_4"]]')
    assert check(write(tmp_path, *turns, expect("recyclings = 1"), start=right)).ok


def test_too_many_cards(tmp_path: Path) -> None:
    start = START.replace('["bird_4"]', str(["bird_4"] * 122))
    assert mistake(tmp_path, DRAW, DISCARD, start=start).key == "start"
    fits = START.replace('["bird_4"]', str(["bird_4"] * 120))
    assert check(write(tmp_path, DRAW, DISCARD, start=fits)).ok


def test_too_many_recyclings(tmp_path: Path) -> None:
    start = START + f"recycled = {[['bird_4']] * 1025}\n"
    assert mistake(tmp_path, DRAW, DISCARD, start=start).key == "start.recycled"


def test_missing_file_and_malformed_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        check(tmp_path / "none.toml")
    with pytest.raises(InputError, match="not valid TOML"):
        check(write(tmp_path, "[[move]\n"))


def test_a_scenario_may_name_a_deck(tmp_path: Path) -> None:
    deck = "{ birds = { kiwi = { value = 2, copies = 9 }, emu = { value = 4, copies = 9 } } }"
    start = '[start]\nhands = [["kiwi"], ["emu"]]\ndraw_pile = ["emu"]\ndiscard_pile = ["kiwi"]\n'
    totals = expect("totals = [4, 4]")
    path = write(
        tmp_path, DRAW, move(0, "keep", slot="0"), totals, start=start, head=f"deck = {deck}\n"
    )
    assert check(path).ok
    assert mistake(tmp_path, DRAW, start=start, head='deck = "none"\n').key == "deck"
