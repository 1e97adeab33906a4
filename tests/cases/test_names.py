"""Any name, of players and of places, in all that is played, written and shown."""

import os
import random
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pandas as pd
import pytest
import tomli_w
from click.testing import CliRunner
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import sim
from analysis import plots
from analysis.plots.drawing import undrawn
from analysis.report.read import read
from analysis.results.comparison import Comparison
from analysis.results.sweep import SweepResult
from analysis.results.tournament import TournamentResult
from sim.api import load_comparison, load_results
from sim.cli import main
from sim.game.players import Player
from sim.game.study import Study
from sim.game.tournament import Tournament
from sim.texts import is_line

pytestmark = pytest.mark.jit

LETTERS = "$$$__\\\\^{}<>&\"'=+-@%#~|;:,.()[]! aéß漢字한👩\u200dשع\u0301\u200f\u00a0\u3000…"


def names(seed: int, count: int) -> list[str]:
    """Return names of all kinds of letters, no two alike."""
    dice = random.Random(seed)
    made = {"$_$", "_$a_{b$", "=cmd|'/c calc'!A1"}
    while len(made) < count:
        name = "".join(dice.choices(LETTERS, k=dice.randint(1, 30))).strip()
        made |= {name} - {""}
    return dice.sample(sorted(made), count)


class Whole(HTMLParser):
    """Checks that all elements of a page are closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("meta", "link", "br", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(text: str) -> None:
    assert all(map(is_line, text.split("\n")))
    page = Whole()
    page.feed(text)
    page.close()
    assert page.open == []
    for svg in text.split("<svg ")[1:]:
        ElementTree.fromstring("<svg " + svg.partition("</svg>")[0] + "</svg>")


# --- players and titles ---------------------------------------------------------------------------


def test_any_name_goes_through_everything(tmp_path: Path, recwarn: Any) -> None:
    """pytest makes errors of warnings; and what is written is whole and printable."""
    called = names(3, 6)
    table = {"rounds": 240, "title": names(4, 5)[0], "question": "\n".join(names(5, 5))}
    players = [{"base": "balanced", "name": name, "character": name} for name in called]
    birds = {f"b{k}": {"value": k, "copies": 8, "name": called[k]} for k in range(6)}
    table["deck"] = {"name": called[5], "title": called[4], "birds": birds}
    sweep = {"0.player": players[:3]}
    files = {
        "run": table | {"players": players[:3]},
        "tournament": table | {"players": players, "seats": 5, "rounds": 30},
        "sweep": table | {"players": players[3:], "sweep": sweep},
        "compare": table | {"players": players[:4]},
    }
    shown = {}
    for command, content in files.items():
        (tmp_path / f"{command}.toml").write_text(tomli_w.dumps(content), encoding="utf-8")
        out = ["--out", str(tmp_path / command)]
        out += ["--records"] if command == "run" else []
        out += ["--rule", "bao_failure_minimum=10"] if command == "compare" else []
        shown[command] = CliRunner().invoke(
            main, [command, str(tmp_path / f"{command}.toml"), *out]
        )
    files_of_trace = [str(tmp_path / "run.toml"), "--round", "3"]
    for form in ("text", "jsonl"):
        shown[form] = CliRunner().invoke(main, ["trace", *files_of_trace, "--format", form])
    folders = [str(tmp_path / command) for command in files]
    page = tmp_path / "page.html"
    shown["report"] = CliRunner().invoke(main, ["report", *folders, "--out", str(page)])
    for command, done in shown.items():
        assert done.exit_code == 0, (command, done.stderr, done.exception)
        assert all(map(is_line, (done.stdout + done.stderr).split("\n"))), command
        assert "Warning" not in done.stderr
    assert "a box for each of these letters" in shown["tournament"].stderr
    assert "漢" in shown["tournament"].stderr
    check_page(page.read_text(encoding="utf-8"))
    for svg in tmp_path.rglob("*.svg"):
        ElementTree.fromstring(svg.read_text(encoding="utf-8"))
    exact = set(pd.read_parquet(tmp_path / "tournament" / "ranking.parquet")["player"])
    written = pd.read_csv(tmp_path / "tournament" / "ranking.csv")["player"]
    assert exact == set(called)
    assert not any(name.startswith(tuple("=+-@")) for name in written)
    assert load_results(tmp_path / "run").study.players[0].name == called[0]
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]
    assert not recwarn.list


def told(ax: Axes) -> list[str]:
    """Return the texts of axes as they are shown; fails where one is taken for mathematics."""
    ax.figure.draw_without_rendering()
    texts: list[Any] = ax.figure.findobj(matplotlib.text.Text)
    shown = []
    for text in texts:
        letters, mathematics = text._preprocess_math(text.get_text())
        assert mathematics is False, letters
        shown.append(letters)
    return shown


@pytest.mark.parametrize("parsed", [True, False])
def test_names_are_shown_letter_by_letter_on_axes_of_the_users_own(parsed: bool) -> None:
    called = ["$_$", "_a$x_{$", r"\alpha $5 \$", "_b"]
    players = [Player.of({"base": "balanced", "name": name}) for name in called]
    many = sim.tournament(Tournament.of(players=players, seats=2, rounds=24))
    study = Study.of(players=players, rounds=30)
    one = sim.run(study, records=True)
    by = {"0.player": [player.to_dict() for player in players], "0.bao_threshold": [2, 9]}
    swept = sim.sweep(study, by)
    both = sim.compare(study, rules={"bao_failure_minimum": 10})
    metrics = swept.metrics
    birds = {row["bird"]: r"$_$ \x" for row in one.summary()["birds"]}
    draw = {
        "strength": lambda ax: plots.strength(many.ranking, ax),
        "strength_matrix": lambda ax: plots.strength_matrix(many.matrix, ax),
        "win_shares": one.plot.win_shares,
        "scores": one.plot.scores,
        "birds": lambda ax: plots.birds(one.summary(), ax, names=birds),
        "differences": lambda ax: plots.differences(both.differences, ax, metrics="score_mean"),
        "sweep": lambda ax: plots.sweep(metrics, ax=ax, seat=0, x="0.player"),
        "by": lambda ax: plots.sweep(metrics, ax=ax, seat=0, x="0.bao_threshold", by="0.player"),
        "map": lambda ax: plots.sweep_map(metrics, ax=ax, seat=0),
        "ends": lambda ax: plots.ends(metrics, ax, x="0.player"),
    }
    for name, plot in draw.items():
        with matplotlib.rc_context({"text.parse_math": parsed}):
            figure = Figure(figsize=(9, 6))
            shown = "\n".join(told(plot(figure.add_subplot())))
        wanted = birds.values() if name == "birds" else called
        if name == "differences":
            wanted = called[:1]  # of a row for each seat
        for each in wanted:
            assert each in shown.replace("\n$5", " $5").replace("\n\\$", " \\$"), (name, shown)


def test_pictures_say_which_letters_they_lack_and_warn_of_nothing(recwarn: Any) -> None:
    undrawn.clear()
    ranking = pd.DataFrame({"player": ["a", "漢字", "ע"], "rounds": 9, "win_share": 0.3})
    ranking = ranking.assign(win_share_low=0.2, win_share_high=0.5)
    plots.picture(lambda figure: plots.strength(ranking, figure.add_subplot()), 5, 3)
    assert undrawn >= {"漢", "字"}
    assert undrawn <= {"漢", "字", "ע"}
    assert not recwarn.list
    undrawn.clear()


# --- places ---------------------------------------------------------------------------------------

PLACES = ["~", "~x", "~root", "seed:7", "s3:x", "file:x", "http:", "C:", "gs:", "memory:", "$HOME"]
PLACES += ["-x", "*", "[a]", "%41", "a b", " x ", "é漢", "a\x1b[31mb", "a\nb", "x" * 250, "a;b&c"]
if sys.platform == "linux":
    PLACES.append(os.fsdecode(b"x\xff"))


def places(seed: int, count: int) -> list[str]:
    dice = random.Random(seed)
    return PLACES + [
        "".join(dice.choices("~:@?#=%&*[]\\ .\x07é漢s3", k=dice.randint(1, 9))) + "x"
        for _ in range(count)
    ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder; the home is another one, and empty."""
    for name in ("home", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def check_places(here: Path, *expected: str) -> None:
    """Check that there is nothing but what is expected, neither here nor at home."""
    assert sorted(path.name for path in here.iterdir()) == sorted(expected)
    assert not list((here.parent / "home").iterdir())
    assert not [path for path in here.rglob("*") if path.name.endswith(".part")]


RUN = ["run", "--players", "random,random", "--rounds", "40", "--quiet"]


@pytest.mark.parametrize("place", places(1, 12))
def test_a_name_is_a_folder_whatever_it_looks_like(here: Path, place: str) -> None:
    """What is written there is read, gone on with, put together and told from there."""
    done = CliRunner().invoke(main, [*RUN, f"--out={place}", "--records"])
    assert done.exit_code == 0, done.stderr
    check_places(here, place)
    alone = sim.run(Study.of(players="random,random", rounds=40), records=True)
    assert load_results(place).records.equals(alone.records)
    assert load_results(Path(place)) == alone
    longer = sim.extend(place, rounds=60)
    rest = sim.run(longer.study.with_changes(rounds=90), only=(60, 90), records=True)
    rest.save("rest")
    assert sim.merge([place, "rest"], f"{place[:200]}+").summary()["rounds"] == 90
    assert "scores" in read(place).tables
    check_places(here, place, "rest", f"{place[:200]}+")


@pytest.mark.parametrize("place", ["~", "s3:x"])
def test_folders_of_many_studies_too(
    here: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ["--rounds", "60", "--quiet", "--players", "random,balanced"]
    commands: dict[str, tuple[Any, list[str]]] = {
        "tournament": (TournamentResult, few),
        "sweep": (SweepResult, [*few, "--over", "1.bao_threshold=2"]),
        "compare": (Comparison, [*few[:-2], "--rule", "shield=none"]),
    }
    for command, (kind, arguments) in commands.items():
        monkeypatch.setattr(kind, "pictures", lambda self: {})  # they take long
        out = f"{place}/{command}"
        done = CliRunner().invoke(main, [command, *arguments, "--out", out])
        assert done.exit_code == 0, (command, done.stderr)
        assert read(out).tables
    load_comparison(f"{place}/compare").save(f"{place}/again")
    check_places(here, place)
    assert len(list(Path(place).iterdir())) == 4


@pytest.mark.parametrize("place", ["~", "s3:x", "a\x1bb", "x" * 255])
def test_pages_too(here: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.report.report", lambda results, lang: "the page")
    done = CliRunner().invoke(main, [*RUN[:-1], "--report", place])
    assert done.exit_code == 0, done.stderr
    assert all(map(is_line, done.stderr.split("\n")))
    assert Path(place).read_text(encoding="utf-8") == "the page"
    check_places(here, place)
