"""Every number of a page is the one in the summary, shown rounded; words follow the data."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from markupsafe import Markup

import sim
from analysis.report import report
from analysis.report.repeat import study_toml
from analysis.stats import wilson
from analysis.words import language, languages
from sim.cli import main
from sim.errors import InputError
from sim.game.study import Study
from sim.game.sweep import Sweep
from sim.game.tournament import Tournament
from tests.support.pages import EVIL, KINDS

pytestmark = pytest.mark.jit


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the drawing, which takes long; `test_browser` looks at pictures."""
    blank = Markup("<svg></svg>")
    monkeypatch.setattr("analysis.report.pictures.drawn", lambda *_: (blank, blank))


class Page(HTMLParser):
    """What a page says: its text, its numbers, its elements by name."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.numbers: list[dict[str, str]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside.append(tag)
        if tag == "data":
            self.numbers.append({"text": "", **{key: value or "" for key, value in attrs}})

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "data" in self._inside:
            self.numbers[-1]["text"] += data
        if not {"script", "style"} & set(self._inside):
            self.text += data


def at(part: Any, path: str) -> Any:
    for key in path.split(".") if path else ():
        part = part[key if isinstance(part, Mapping) else int(key)]
    return part


def wanted(summary: Mapping[str, Any], path: str) -> float:
    """Return the number that a path means."""
    if path.startswith("rates."):
        return rate(summary, path.removeprefix("rates."))
    if path.startswith("sum("):
        where, low, high = path.removeprefix("sum(").removesuffix(")").split(",")
        return sum(n for value, n in at(summary, where) if int(low) <= value < int(high))
    if path.startswith("seats("):
        where = path.removeprefix("seats(").removesuffix(")")
        return sum(at(seat, where) for seat in summary["players"])
    if path.endswith("/rounds"):
        return at(summary, path.removesuffix("/rounds")) / summary["rounds"]
    return at(summary, path)


def rate(summary: Mapping[str, Any], path: str) -> float:
    """Return a share that stands in no summary, from its counts."""
    of, *rest = path.split(".")
    rounds, games = summary["rounds"], summary["games"] is not None
    if of == "bao":
        part, whole = summary["bao"][rest[0]], summary["bao"]["called"]
    elif of == "called":
        part, whole = summary["bao"]["called"], rounds
    elif of == "seats":
        seat = summary["players"][int(rest[0])]
        hits = sum(seat["plucks"][kind] for kind in ("own_hit", "rival_hit", "double_hit"))
        part, whole = {
            "bao_rate": (seat["bao_called"], rounds),
            "bao_success": (seat["bao_won"], seat["bao_called"]),
            "pluck_rate": (hits + seat["plucks"]["missed"], rounds),
        }[rest[1]]
    elif rest[0] == "turns_mean":
        turns = summary["turns"]
        return turns["mean"] if rest[-1] == "value" else turns["mean_ci95"][int(rest[-1])]
    else:
        part, whole = summary["ends"][rest[0].removeprefix("end_")], rounds
    assert rest[-1] == "value" or not games
    return part / whole if rest[-1] == "value" else wilson(part, whole)[int(rest[-1])]


def check_rounding(number: dict[str, str], lang: str) -> None:
    tongue = language(lang)
    value = float(number["value"]) * (100 if number.get("data-unit") == "%" else 1)
    text = number["text"]
    shown = tongue.parse(text)
    decimal = tongue.text("language.decimal")
    places = len(text.partition(decimal)[2]) if decimal in text else 0
    if text.startswith("<"):
        assert 0 < value < shown
    elif text.startswith(">"):
        assert shown < value < 100
    else:
        assert abs(shown - value) <= 0.50001 * 10**-places, number
        if number.get("data-unit") == "%" and "difference" not in number["data-path"]:
            assert (shown in (0, 100)) <= (value in (0, 100) or places > 0 or "step" in text), (
                number
            )


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_the_summary(kind: str, lang: str, folders: dict[str, Path]) -> None:
    summary = json.loads((folders[kind] / "summary.json").read_text())
    page = Page(report(folders[kind], lang))
    assert len(page.numbers) > 50
    for number in page.numbers:
        found = wanted(summary, number["data-path"])
        assert float(number["value"]) == pytest.approx(found, rel=1e-12, abs=1e-15), number
        check_rounding(number, lang)


def test_numbers_of_several_folders(folders: dict[str, Path]) -> None:
    order = ["run", "games", "tournament", "sweep", "comparison"]
    summaries = [json.loads((folders[kind] / "summary.json").read_text()) for kind in order]
    page = Page(report([folders[kind] for kind in order]))
    parts = {number["data-part"] for number in page.numbers}
    assert parts == set("01234")
    for number in page.numbers:
        found = wanted(summaries[int(number["data-part"])], number["data-path"])
        assert float(number["value"]) == pytest.approx(found, rel=1e-12, abs=1e-15), number


def test_runs_side_by_side(folders: dict[str, Path]) -> None:
    page = Page(report([folders["run"], folders["few"]]))
    paths = [number["data-path"] for number in page.numbers if number["data-part"] == "1"]
    assert paths[0] == "rounds"
    assert "baobei compare" in page.text


# --- words ----------------------------------------------------------------------------------------


def played(*, only: Any = None, until: str | None = None, **study: Any) -> sim.Result:
    limits = {name: v for name, v in {"only": only, "until": until}.items() if v is not None}
    return sim.run(Study.of(**study), progress=False, **limits)


def test_order_of_chapters(folders: dict[str, Path]) -> None:
    html = report(folders["run"])
    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", html) == [
        "In pictures", "How rounds end", "The course of play", "Seats", "Plucks, powers and birds",
        "Players", "Rules that differ from the edition", "What was assumed",
        "What may not be concluded", "How to repeat it",
    ]  # fmt: skip
    places = [html.index(f'class="{name}') for name in ("answer", "tiles", "chapter")]
    assert places == sorted(places)


def test_what_may_not_be_concluded(folders: dict[str, Path]) -> None:
    few, run, games = (report(folders[kind]) for kind in ("few", "run", "games"))
    assert "are few" in few
    assert "are few" in run  # 2,000 rounds: ±2 percentage points
    assert "Each round stood for itself" in run
    assert "Each round stood for itself" not in games
    assert "rounds of a game hang together" in games
    assert "threshold of a game is an assumption" not in games  # it was set to 60
    assert "Players did not change seats" in run
    alike = report(played(players="balanced,balanced", rounds=500))
    assert "Players did not change seats" not in alike
    assert "All players play alike" in alike


def test_deck_of_ones_own_is_not_assumed() -> None:
    deck = sim.game.deck.load_deck("five_per_value").to_dict()
    own = {**deck, "name": "mine", "assumed": False, "assumptions": []}
    html = report(played(players="balanced,balanced", deck=own, rounds=300))
    assert "are an assumption" not in html
    assert "Nothing: the deck is one of the user" in html


def test_part_of_a_study() -> None:
    html = report(played(players="balanced,sharp", rounds=900, only=(0, 400)))
    assert "Only a part of the study was played" in html
    assert "--range 0:400" in html


def test_run_until() -> None:
    html = report(played(players="balanced,sharp", rounds=20000, until="win_share[0]±0.05"))
    assert "intervals allow for having been looked at" in html
    assert "win_share[0]+-0.05" in html


def test_comparison_in_words(folders: dict[str, Path]) -> None:
    summary = json.loads((folders["comparison"] / "summary.json").read_text())
    page = Page(report(folders["comparison"]))
    sure = [row for row in summary["differences"] if (row["p_holm"] or 1) < 0.05]
    assert sure
    sentences = re.findall(r"(?:up|down) from", page.text)
    assert len(sentences) >= len(sure)
    assert "a failed BAO scores this many times the total: 2 → 4" in page.text
    assert "People who notice the change would adapt" in page.text


def test_users_title_and_question_stay() -> None:
    study = Study.of(players="balanced,balanced", rounds=60, title="My title", question="Is it so?")
    html = report(sim.compare(study, rules={"bao_failure_minimum": 10}, progress=False))
    assert re.search(r'<h1[^>]* dir="auto">My title</h1>', html)
    assert re.search(r'<p class="question"[^>]*>Is it so\?</p>', html)
    other = study.with_changes(title="Other title", question="Or so?", rules={"penalty_cards": 2})
    html = report(sim.compare(study, other, progress=False))
    assert re.search(r"<h1[^>]*>My title / Other title</h1>", html)
    assert "Is it so? / Or so?" in html
    plain = Study.of(players="balanced,balanced", rounds=60)
    html = report(sim.compare(plain, rules={"game_threshold": 50}, progress=False))
    title = re.search(r"<h1[^>]*>([^<]*)</h1>", html)
    assert title is not None
    assert title[1].count("100 → 50") == 1
    assert "with 2 players" in title[1]


def test_medians_are_told_apart() -> None:
    study = Study.of(players="balanced,balanced", rounds=3000)
    longer = sim.compare(study, rules={"hand_size": {2: 7}}, progress=False)
    text = Page(report(longer)).text
    sure, still = text.index("One sentence for each"), text.index("Median length of a round")
    assert sure < still
    assert "Median length of a round: up from" in text
    assert "No test is made of medians. By their intervals these differ:" in text
    assert "may be the same" not in text


def test_limits_of_compared_games() -> None:
    study = Study.of(players="balanced,balanced", games=40)
    text = Page(report(sim.compare(study, rules={"penalty_cards": 3}, progress=False))).text
    assert "have no intervals here" not in text
    assert "whole games are compared" in text


def test_what_would_have_been_sure_is_larger_than_what_is_not(folders: dict[str, Path]) -> None:
    for kind in ("comparison", "rotated"):
        html = report(folders[kind])
        for sentence in re.findall(r"<li>(?:(?!</li>).)*would have been called sure", html):
            values = {
                path.rpartition(".")[2]: float(value)
                for value, path in re.findall(
                    r'<data value="([^"]*)" data-part="0" data-path="([^"]*)"', sentence
                )
            }
            assert abs(values["difference"]) < values["smallest_detectable"]


def test_results_of_several_kinds_side_by_side(folders: dict[str, Path]) -> None:
    html = report([folders["comparison"], folders["sweep"]])
    beside = html[html.index('id="beside"') : html.index('id="part-1"')]
    for part in ("0", "1"):
        assert f'data-part="{part}"' in beside.split("Headline numbers")[1]


def test_only_tested_differences_are_counted(folders: dict[str, Path]) -> None:
    summary = json.loads((folders["comparison"] / "summary.json").read_text())
    tested = sum(row["p_holm"] is not None for row in summary["differences"])
    page = Page(report(folders["comparison"]))
    assert f"of {tested} that were looked at" in page.text
    assert f"of {tested} differences" in sim.load_comparison(folders["comparison"]).to_text()


def test_what_is_the_same_is_said_once(folders: dict[str, Path]) -> None:
    summary = json.loads((folders["comparison"] / "summary.json").read_text())
    rows = summary["differences"]
    differ = {row["metric"] for row in rows if row["difference"] or row["n_differ"]}
    page = Page(report(folders["comparison"]))
    assert {"win_share", "turns.mean"}.isdisjoint(differ)
    chapters = page.text[page.text.rindex("What does not differ for sure") :]
    assert chapters.count("mean length of a round") == 1
    assert "0.00 to 0.00" not in page.text
    paths = [number["data-path"].split(".") for number in page.numbers]
    shown = {int(path[1]) for path in paths if path[0] == "differences"}
    assert shown
    assert {rows[k]["metric"] for k in shown} <= differ


@pytest.mark.parametrize(
    ("lang", "name"),
    [("en", "(1st)"), ("it", "(1°)"), ("fr", "(1er)"), ("pt", "(1º)"), ("es", "(1.º)")],
)
def test_players_are_named_where_seats_rotate(
    lang: str, name: str, folders: dict[str, Path]
) -> None:
    rotated, kept = (report(folders[kind], lang) for kind in ("rotated", "comparison"))
    seat = {"en": "seat", "it": "posto", "fr": "place", "pt": "lugar", "es": "puesto"}[lang]
    assert f"balanced {name}" in rotated
    assert not re.search(rf"\({seat} \d\)", rotated)
    assert f"balanced ({seat} 0)" in kept
    assert f"balanced {name}" not in kept


def test_calibration() -> None:
    unsure = played(players="novice,gambler", rounds=4000)
    page = Page(report(unsure))
    assert "How sure, and how right" in page.text
    numbers = [each for each in page.numbers if each["data-path"].startswith("calibration.")]
    assert len(numbers) > 20
    for number in numbers:
        _, row, column = number["data-path"].split(".")
        assert float(number["value"]) == unsure.calibration.loc[int(row), column]
        check_rounding(number, "en")
    certain = report(played(players="balanced,balanced", rounds=500))
    assert "How sure, and how right" not in certain


def test_calibration_of_a_folder_is_that_of_memory(tmp_path: Path) -> None:
    study = Study.of(players="novice,gambler", rounds=1500)
    result = sim.run(study, out=tmp_path / "run", progress=False)
    assert report(tmp_path / "run") == report(result)


def test_maps_of_two_axes(folders: dict[str, Path]) -> None:
    title = "Win share over rules.recycle_limit, 0.pluck_confidence: the map"
    assert title in Page(report(folders["grid"])).text
    assert "the map" not in Page(report(folders["sweep"])).text


def test_columns_without_numbers_are_left_out(folders: dict[str, Path]) -> None:
    ends = re.search(
        r"<caption>How rounds end</caption>.*?</table>", report(folders["games"]), re.S
    )
    assert ends is not None
    assert "interval" not in ends[0]
    assert "–" not in ends[0]


def test_study_compared_with_itself() -> None:
    study = Study.of(players="balanced,sharp", rounds=200)
    html = report(sim.compare(study, study, progress=False))
    assert "No round differs, so every difference is exactly 0" in html
    assert "up from" not in html


def test_where_no_round_differs_it_is_said_how_many_may() -> None:
    study = Study.of(players="balanced,sharp", rounds=1000)
    html = report(sim.compare(study, rules={"max_turns": 900}, progress=False))
    text = Page(html).text
    assert "No round differs; up to 0.76" in text or "No round differs; up to 0.38" in text
    assert "every difference is exactly 0" not in text


# --- safety ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", languages())
def test_names_and_titles_are_no_markup(lang: str, folders: dict[str, Path]) -> None:
    html = report([folders["few"], folders["run"]], lang)
    assert EVIL not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    page = Page(html)
    assert sum(tag == "script" for tag, _ in page.elements) == 1


def test_page_needs_nothing_else(folders: dict[str, Path]) -> None:
    page = Page(report([folders[kind] for kind in KINDS]))
    for _, attributes in page.elements:
        for name in ("src", "href", "xlink:href"):
            address = attributes.get(name)
            assert address is None or address.startswith(("#", "data:"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"img", "iframe", "object"}.isdisjoint(tag for tag, _ in page.elements)


def test_same_page_every_time(folders: dict[str, Path]) -> None:
    assert report(folders["run"]) == report(folders["run"])


# --- how to repeat it -----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "read"), [
    ("run", Study), ("games", Study), ("few", Study), ("sweep", Sweep), ("grid", Sweep),
    ("tournament", Tournament),
])  # fmt: skip
def test_study_file_means_the_same(kind: str, read: Any, folders: dict[str, Path]) -> None:
    manifest = json.loads((folders[kind] / "manifest.json").read_text())
    text = study_toml(manifest["study"])
    again = read.from_dict(tomllib.loads(text))
    assert again.fingerprint == manifest["fingerprint"]
    page = Page(report(folders[kind]))
    assert text.strip() in page.text


def test_sampled_sweep_means_the_same() -> None:
    over = {"0.pluck_confidence": {"from": 0.5, "to": 1.0}, "0.bao_threshold": [1, 2, 3]}
    sampled = Sweep.of(Study.of(players="balanced,sharp", rounds=10), over, sample=7)
    again = Sweep.from_dict(tomllib.loads(study_toml(sampled.to_dict())))
    assert again.fingerprint == sampled.fingerprint


def test_changed_deck_and_players_stand_in_the_file() -> None:
    study = Study.of(
        players=[{"kind": "heuristic", "name": "mine", "gift": "unknown"}, "sharp"],
        deck={"base": "five_per_value", "change": {"macaw": {"copies": 7}}},
        rounds=10,
        edition="first",
        rules={"hand_size": {2: 6}},
    )
    again = Study.from_dict(tomllib.loads(study_toml(study.to_dict())))
    assert again.fingerprint == study.fingerprint
    assert again.edition == "first"


# --- the command ----------------------------------------------------------------------------------


def baobei(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


def test_report_command(folders: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = baobei("report", str(folders["run"]), "--out", str(out), "--lang", "it")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert str(out) in done.stderr
    assert '<html lang="it">' in out.read_text(encoding="utf-8")
    assert baobei("report", str(folders["sweep"]), "--quiet").stderr == ""
    assert (folders["sweep"] / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report", "nowhere"], "nowhere: no such folder"),
        (["report", "{run}/summary.json"], "not a folder"),
        (["report", "{run}", "--lang", "de"], 'expected en, es, fr, it or pt, got "de"'),
        (["report", "{run}", "--out", "no/such/folder/x.html"], "no such folder"),
        (["report", "{run}", "--out", "."], "--out: not a file"),
        (["report"], "Missing argument"),
        (["run", "--rounds", "10", "--lang", "it"], "--report"),
        (["run", "--rounds", "10", "--report", "no/such/x.html"], "no such folder"),
    ],
)
def test_mistakes(words: list[str], message: str, folders: dict[str, Path]) -> None:
    done = baobei(*(word.replace("{run}", str(folders["run"])) for word in words))
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--players", "balanced,sharp", "--rounds", "300"],
        [
            "sweep",
            "--players",
            "balanced,sharp",
            "--over",
            "0.bao_threshold=1,5",
            "--rounds",
            "100",
        ],
        ["tournament", "--players", "balanced,sharp,novice", "--seats", "2", "--rounds", "100"],
        ["compare", "--rule", "peeks=3", "--rounds", "100"],
    ],
    ids=lambda words: words[0],
)
def test_one_command_plays_and_tells(words: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = baobei(*words, "--report", str(page), "--quiet")
    assert done.exit_code == 0, done.stderr
    assert "How to repeat it" in page.read_text(encoding="utf-8")


def test_unfinished_run_is_told(tmp_path: Path, folders: dict[str, Path]) -> None:
    folder = tmp_path / "begun"
    folder.mkdir()
    manifest = json.loads((folders["run"] / "manifest.json").read_text())
    manifest |= {"finished": False, "ranges": [], "sums": None}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="unfinished run"):
        report(folder)


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 99}', '{"schema": 1, "kind": "feast"}'])
def test_spoilt_folders(content: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError):
        report(tmp_path)


def test_older_summaries_are_told(folders: dict[str, Path], tmp_path: Path) -> None:
    """A folder from before the designer's metrics were counted."""
    new = ("positions", "by_end", "calls", "leads", "windows", "shields", "birds", "power_swing")
    mine = ("first", "calls", "leads", "plucks_by", "hit_rate", "pluck_chances", "races")
    mine += ("power_triggers", "shields", "cards_gone")
    summary = json.loads((folders["run"] / "summary.json").read_text())
    old = {key: summary[key] for key in summary if key not in (*new, "comebacks")}
    old["players"] = [
        {key: seat[key] for key in seat if key not in mine} for seat in summary["players"]
    ]
    manifest = json.loads((folders["run"] / "manifest.json").read_text())
    for name, content in (("summary", old), ("manifest", manifest)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content | {"version": "0.0.9"}))
    assert "In pictures" in report(tmp_path)
