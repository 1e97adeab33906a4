"""The program: what it prints, exit codes, messages, and what ``--help`` may import."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sim.api import load_results
from sim.cli import main
from sim.cli.play import DEFAULT_ROUNDS
from sim.errors import InputError
from sim.game.study import MAX_SEED, MAX_UNITS, Study, load_study
from sim.watch.trace import trace

pytestmark = pytest.mark.jit


COMMANDS = [
    ["run"],
    ["tournament"],
    ["compare"],
    ["sweep"],
    ["extend"],
    ["merge"],
    ["trace"],
    ["check"],
    ["bench"],
    ["list"],
    ["list", "decks"],
    ["list", "rules"],
    ["list", "players"],
    ["list", "metrics"],
]


SMALL = ["--players", "balanced,sharp", "--rounds", "200", "--seed", "7"]


SCENARIO = """
title = "Draw and keep"
[start]
hands = [["bird_3", "bird_9"], ["bird_8", "bird_2"]]
draw_pile = ["bird_1", "bird_5"]
discard_pile = ["bird_4"]
active = 0
[[move]]
seat = 0
do = "draw"
[[move]]
seat = 0
do = "keep"
slot = 1
[expect]
hands = [["bird_3", "bird_1"], ["bird_8", "bird_2"]]
"""


def baobei(*arguments: str) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(main, arguments)


def refused(*arguments: str) -> str:
    """Return the one line on stderr with which a command line is refused."""
    result = baobei(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("Error: ")
    return lines[0].removeprefix("Error: ")


def program(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start the program as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "sim", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


# --- help -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_has_an_example_that_parses(command: list[str]) -> None:
    result = baobei(*command, "--help")
    assert result.exit_code == 0
    assert result.stderr == ""
    example = result.stdout.split("Example: baobei ")[1].split("\n\n")[0].split()
    group: Any = main
    while hasattr(group, "get_command"):
        group = group.get_command(None, example.pop(0))
    assert group is not None
    group.make_context("baobei", example, resilient_parsing=False)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from sim.cli import main\n"
        "for words in ([], ['run'], ['list', 'players'], ['trace'], ['bench'], ['tournament'], "
        "['sweep']):\n"
        "    try: main([*words, '--help'])\n"
        "    except SystemExit as end: assert end.code == 0\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for heavy in ("numba", "numpy", "pandas", "pyarrow", "pydantic", "tqdm", "matplotlib"):
        assert f"'{heavy}'" not in done.stderr


def test_importing_the_package_is_instant() -> None:
    code = "import sys, sim; sim.__version__; print(len(sys.modules), 'pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "False"


def test_version() -> None:
    import sim

    result = baobei("--version")
    assert result.exit_code == 0
    assert result.stdout == f"baobei {sim.__version__}\n"


def test_no_command_shows_the_help() -> None:
    result = baobei()
    assert result.exit_code == 2
    assert "Commands:" in result.stderr
    assert result.stdout == ""


# --- run ------------------------------------------------------------------------------------------


def test_run_prints_the_table() -> None:
    result = baobei("run", *SMALL)
    assert result.exit_code == 0
    assert "2 players, 200 rounds, seed 7" in result.stdout
    assert result.stderr == ""


def test_run_without_arguments_means_the_built_in_study(monkeypatch: pytest.MonkeyPatch) -> None:
    import sim.api

    asked: list[Study] = []
    real = sim.api.run

    def short(study: Study, **options: Any) -> Any:
        asked.append(study)
        return real(study.with_changes(rounds=50), **options)

    monkeypatch.setattr(sim.api, "run", short)
    assert baobei("run").exit_code == 0
    assert asked == [load_study()]


def test_json_is_the_summary_and_nothing_else(tmp_path: Path) -> None:
    result = baobei("run", *SMALL, "--json", "--out", str(tmp_path))
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert summary == load_results(tmp_path).summary()
    assert summary == json.loads((tmp_path / "summary.json").read_text())
    assert (summary["rounds"], summary["seed"]) == (200, 7)


def test_threads_do_not_matter() -> None:
    def summary(threads: int) -> dict[str, Any]:
        given = ["run", "--rounds", "3000", "--json", "--threads", str(threads)]
        found: dict[str, Any] = json.loads(baobei(*given).stdout)
        return {key: found[key] for key in found if "second" not in key or key == "ends"}

    assert summary(1) == summary(2) == summary(7)


def test_options_mean_what_the_file_would(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'players = ["sharp", "random"]\nrounds = 99\nseed = 5\nrules.peeks = 1\n'
    )
    by_file = baobei("run", str(tmp_path / "study.toml"), "--json")
    by_options = baobei(
        *("run", "--players", "sharp, random", "--rounds", "99", "--seed", "5"),
        *("--rule", "peeks=1", "--json"),
    )
    one, two = json.loads(by_file.stdout), json.loads(by_options.stdout)
    for summary in (one, two):
        del summary["seconds"], summary["rounds_per_second"]
    assert one == two
    assert one["rules_changed"] == {"peeks": 1}


def test_options_win_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text('players = ["sharp", "random"]\ngames = 9\nrules.peeks = 1\n')
    summary = json.loads(
        baobei(
            *("run", str(file), "--rounds", "50", "--edition", "first", "--deck"),
            *("five_per_power", "--rule", "hand_size.2=3", "--json"),
        ).stdout
    )
    assert (summary["rounds"], summary["games"]) == (50, None)
    assert (summary["edition"], summary["deck"]) == ("first", "five_per_power")
    assert summary["rules_changed"] == {"hand_size": {"2": 3}, "peeks": 1}


def test_settings_change_players() -> None:
    result = baobei(
        *("run", "--players", "balanced,sharp,random", "--rounds", "20", "--json"),
        *("--set", "0.bao_threshold=4", "--set", "all.look_first=rival", "--set", "2.bao_rate=0.5"),
    )
    names = [player["strategy"] for player in json.loads(result.stdout)["players"]]
    assert names == [
        "balanced(bao_threshold=4,look_first=rival)",
        "sharp(look_first=rival)",
        "random(bao_rate=0.5)",
    ]


def test_settings_change_several_players() -> None:
    both = baobei("run", *SMALL, "--set", "0,1.attention=0.2", "--json").stdout
    each = ["--set", "0.attention=0.2", "--set", "1.attention=0.2"]
    played = [json.loads(out) for out in (both, baobei("run", *SMALL, *each, "--json").stdout)]
    assert played[0]["players"] == played[1]["players"]


def test_numbers_may_be_written_as_people_do() -> None:
    for text in ("1e2", "100", "1_00"):
        result = baobei("run", "--rounds", text, "--json")
        assert json.loads(result.stdout)["rounds"] == 100


def test_games() -> None:
    result = baobei("run", "--games", "20", "--players", "balanced,sharp")
    assert result.exit_code == 0
    assert "20 games to 100 points (assumed)" in result.stdout
    assert "games end" in result.stdout


def test_results_folder_and_records(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    result = baobei("run", *SMALL, "--out", str(folder), "--records")
    assert result.exit_code == 0
    assert f"results are in {folder}" in result.stderr
    assert len(load_results(folder).records) == 400
    again = refused("run", *SMALL, "--seed", "8", "--out", str(folder))
    assert again.startswith(f"{folder}: holds results of another study, which differs in seed")


def test_quiet_is_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.core.jit.is_compiled", lambda *_: False)
    assert baobei("run", *SMALL, "--quiet", "--out", str(tmp_path)).stderr == ""
    assert "compiling the engine" in baobei("run", *SMALL).stderr


# --- what is refused ------------------------------------------------------------------------------


REFUSED = {
    "unknown command": (["swep"], "No such command 'swep'. Did you mean 'sweep'?"),
    "unknown option": (["run", "--player", "a"], "No such option '--player'"),
    "unknown list": (["list", "deks"], "Did you mean 'decks'?"),
    "unknown study": (["run", "frist"], "no such study"),
    "missing file": (["run", "none.toml"], "none.toml: no such file"),
    "unknown player": (["run", "--players", "balancd,sharp"], "did you mean 'balanced'?"),
    "empty player": (["run", "--players", "sharp,"], "--players: an empty name"),
    "1 player": (["run", "--players", "sharp"], "--players: expected 2 to 6 players, got 1"),
    "7 players": (["run", "--players", ",".join(["sharp"] * 7)], "expected 2 to 6 players, got 7"),
    "unknown deck": (["run", "--deck", "five_per_valu"], "did you mean 'five_per_value'?"),
    "edition": (["run", "--edition", "secnd"], "did you mean 'second'?"),
    "unknown rule": (["run", "--rule", "pecks=3"], "--rule: no such rule option"),
    "rule value": (["run", "--rule", "shield=soon"], 'shield: expected "after_first_change"'),
    "rule form": (["run", "--rule", "shield"], "--rule: expected KEY=VALUE"),
    "setting form": (["run", "--set", "0.x"], "--set 0.x: expected SEAT.PARAM=VALUE"),
    "setting seat": (["run", "--set", "9.gift=highest"], "no such seat, expected 0 to 3, or all"),
    "setting name": (["run", "--set", "0.bao_treshold=3"], "did you mean 'bao_threshold'?"),
    "setting value": (["run", "--set", "0.attention=7"], "expected a number from 0 to 1"),
    "setting base": (["run", "--set", "0.bao=3"], "bao: no such parameter, expected one of"),
    "no players": (["run", "--players", ""], "--players: an empty name"),
    "setting twice": (
        ["run", "--set", "0,1.attention=1", "--set", "1,0.attention=0"],
        "attention: set twice, by 0,1.attention=1 and 1,0.attention=0",
    ),
    "setting seats": (["run", "--set", "0,4.attention=1"], "no such seat, expected 0 to 3, or all"),
    "rule twice": (
        ["run", "--rule", "peeks=1", "--rule", "peeks=3"],
        "--rule: peeks: set twice, by peeks=1 and peeks=3",
    ),
    "comma": (["run", "--set", "0.attention=0,5"], "got \"0,5\"; did you mean '0.5'?"),
    "seconds": (["run", "--max-seconds", "0,5"], "of seconds, got \"0,5\"; did you mean '0.5'?"),
    "per cent": (["run", "--set", "0.attention=50%"], "got \"50%\"; did you mean '0.5'?"),
    "thousands": (["run", "--set", "0.bao_threshold=1,000"], "did you mean '1000'?"),
    "points": (["run", "--rounds", "1.000"], "got \"1.000\"; did you mean '1000'?"),
    "smart quotes": (["run", "--set", "0.gift=“higest”"], "did you mean 'highest'?"),
    "far name": (["run", "--set", "0.gift=most"], 'or "lowest_loss", got "most"'),
    "page of another kind": (["run", "--report", "x.pdf"], "--report: a page is HTML"),
    "page in place of results": (["run", "--out", "new", "--report", "./new"], "not a file"),
    "page nowhere": (["run", "--out", "new", "--report", "old/page.html"], "no such folder"),
    "trace beyond the run": (
        ["trace", "--rounds", "100", "--round", "100"],
        "--round: expected a number from 0 to 99, got 100",
    ),
    "unknown metric": (["list", "metrics", "win_shar"], "did you mean 'win_share'?"),
    "seats of two": (
        ["tournament", "--players", "sharp,novice", "--seats", "5"],
        "seats: expected 2, as there are 2 players, got 5",
    ),
    "7 unknown players": (["run", "--players", "a,b,c,d,e,f,g"], "2 to 6 players, got 7"),
    "setting kind": (["run", "--set", "0.kind=random"], "kind: not a parameter"),
    "negative rounds": (["run", "--rounds", "-5"], "expected a whole number from 1"),
    "no rounds": (["run", "--rounds", "0"], "expected a whole number from 1"),
    "half a round": (["run", "--rounds", "1.5"], 'got "1.5"'),
    "rounds in words": (["run", "--rounds", "many"], 'got "many"'),
    "too many rounds": (["run", "--rounds", "1e12"], "expected a whole number from 1"),
    "both units": (["run", "--rounds", "5", "--games", "5"], "rounds and games at once"),
    "seed": (["run", "--seed", "-1"], "expected a whole number from 0"),
    "threads": (["run", "--threads", "0"], "expected a whole number from 1 to 1024"),
    "records": (["run", "--records"], "--records: records need a folder"),
    "trace format": (["trace", "--format", "jsnl"], "did you mean 'jsonl'?"),
    "trace units": (["trace", "--round", "1", "--game", "1"], "a round and a game at once"),
    "trace index": (["trace", "--round", "-1"], "expected a whole number from 0"),
    "unknown option name": (["list", "rules", "pecks"], "did you mean 'peeks'?"),
    "bench player": (["bench", "--players", "shrp"], "did you mean 'sharp'?"),
    "nothing to check": (["check"], "Missing argument"),
    "too small a deck": (["run", "--rule", "hand_size=30"], "too small for 4 players"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_usage_is_one_message_and_exit_2(name: str) -> None:
    arguments, says = REFUSED[name]
    assert says in refused(*arguments)


def test_limits_are_those_of_studies() -> None:
    assert f"to {MAX_UNITS}," in refused("run", "--rounds", "-1")
    assert f"to {MAX_SEED}," in refused("run", "--seed", "-1")
    assert load_study().rounds == DEFAULT_ROUNDS
    assert f"{DEFAULT_ROUNDS:,}" in baobei("sweep", "--help").stdout


def test_malformed_files_name_the_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("players = [\n")
    assert f"{file}: " in refused("run", str(file))
    file.write_text('players = ["balanced", "sharp"]\nround = 5\n')
    said = refused("run", str(file))
    assert said.startswith(f"{file}: round: no such key")
    assert said.endswith("did you mean 'rounds'?")
    file.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in refused("run", str(file))
    file.write_text('players = ["balanced"]\n', encoding="utf-16")
    assert "not UTF-8 but UTF-16, expected a file saved as UTF-8" in refused("run", str(file))
    file.write_text('players = ["balanced"]\n', encoding="utf-16-be")
    assert "not UTF-8 but UTF-16" in refused("run", str(file))
    file.write_text("players = [“balanced”, “sharp”]\n", encoding="utf-8")
    assert refused("run", str(file)).endswith("expected straight quotes, not “")
    file.write_text('players = ["balanced", "sharp"]\n[rules]\npeeks = 1\nrounds = 10\n')
    assert "rules.rounds: belongs to the study, outside of its rules" in refused("run", str(file))
    file.rename(tmp_path / "hasty.toml.txt")
    assert "hasty.toml.txt'?" in refused("run", f"{tmp_path}/hasty.toml")
    assert "no such file" in (far := refused("run", f"{tmp_path}/night.toml"))
    assert "did you mean" not in far
    assert "is a folder" in refused("run", f"{tmp_path}/")


def test_a_file_of_another_kind_is_called_by_its_kind(tmp_path: Path) -> None:
    """Also where keys of the kind that was expected are missing."""
    files = {
        "player": 'base = "sharp"\nbao_threshold = 3\n',
        "deck": "[birds.owl]\nvalue = 1\ncopies = 40\n",
        "study": 'players = ["sharp", "sharp"]\nrounds = 10\n',
        "sweep": 'players = ["sharp", "sharp"]\n[sweep]\n"0.attention" = [0, 1]\n',
        "scenario": SCENARIO,
    }
    for kind, text in files.items():
        (tmp_path / f"{kind}.toml").write_text(text)
    given = {kind: str(tmp_path / f"{kind}.toml") for kind in files}
    for kind, use in {"player": "--players", "deck": "--deck", "scenario": "baobei check"}.items():
        assert f"this is a {kind}: use {use}" in refused("run", given[kind])
    for kind in ("study", "deck", "sweep"):
        told = refused("run", "--players", f"sharp,{given[kind]}")
        assert told.startswith(f"{given[kind]}: ")
        assert f"this is a {kind}: use" in told
    assert "this is a study: use" in baobei("check", given["study"]).stderr
    (tmp_path / "player.toml").write_text('kind = "random"\n')
    for kind in ("study", "player"):
        assert f"this is a {kind}: use" in refused("run", "--deck", given[kind])
    (tmp_path / "typing.toml").write_text('playrs = ["sharp", "sharp"]\n')
    assert refused("run", f"{tmp_path}/typing.toml").endswith("(also wrong: players is missing)")


def test_results_are_no_study(tmp_path: Path) -> None:
    out, page = str(tmp_path / "new"), tmp_path / "new" / "page.html"
    assert baobei("run", *SMALL, "--out", out, "--report", str(page), "--quiet").exit_code == 0
    assert "<html" in page.read_text(encoding="utf-8")
    assert f"{out}: is a folder of results, expected a study" in refused("run", out)
    assert f"{out}/: the same folder twice" in refused("report", out, f"{out}/")
    (tmp_path / "new" / "journal.txt").mkdir()
    assert f"{out}/journal.txt: " in refused("extend", out, "--rounds", "300")


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "in"):
        assert str(path) in refused("run", "--rounds", "1e9", "--out", str(path))


def test_a_bug_is_told_without_blaming_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    import sim.api
    from sim.watch.events import EngineError

    def broken(*_: Any, **__: Any) -> None:
        raise EngineError("a bug in a player")

    monkeypatch.setattr(sim.api, "run", broken)
    result = baobei("run")
    assert result.exit_code == 70
    assert result.stderr == "Error: a bug in a player\n"


# --- trace, check, list, bench --------------------------------------------------------------------


def test_trace_shows_the_round_of_the_run() -> None:
    table = ["--players", "balanced,sharp", "--seed", "7"]
    expected = trace(Study.of(players="balanced,sharp", rounds=1, seed=7), 17)
    text = baobei("trace", *table, "--round", "17")
    assert text.exit_code == 0
    assert text.stdout == expected.text()
    lines = baobei("trace", *table, "--round", "17", "--format", "jsonl").stdout
    assert lines == expected.jsonl()
    assert all(json.loads(line)["event"] for line in lines.splitlines())


def test_trace_takes_what_a_run_was_told() -> None:
    one = ["--players", "sharp,casual", "--rule", "hand_size.2=6", "--rule", "hand_size.3=5"]
    shown = baobei("trace", *one, "--round", "3").stdout
    assert shown.splitlines()[1] == "rules changed: hand_size.2=6"
    assert baobei("trace", *one, "--rounds", "1e5", "--round", "3").stdout == shown
    game = baobei("trace", *one, "--game", "0").stdout
    assert baobei("trace", *one, "--games", "20").stdout == game


def test_trace_agrees_with_records(tmp_path: Path) -> None:
    assert baobei("run", *SMALL, "--out", str(tmp_path), "--records").exit_code == 0
    rows = load_results(tmp_path).records
    for k in (0, 99, 199):
        lines = baobei("trace", *SMALL[:2], *SMALL[4:], "--round", str(k), "--format", "jsonl")
        end = json.loads(lines.stdout.splitlines()[-1])
        assert end["scores"] == rows[rows["index"] == k]["score"].tolist()


def test_trace_of_a_game() -> None:
    out = baobei("trace", "--players", "balanced,sharp", "--game", "2", "--format", "jsonl").stdout
    assert json.loads(out.splitlines()[0])["game"] == 2
    assert json.loads(out.splitlines()[-1])["event"] == "game_end"
    assert baobei("trace").stdout == trace(load_study(), 0).text()


def test_check_counts_and_exit_codes(tmp_path: Path) -> None:
    good, bad, wrong = (tmp_path / f"{name}.toml" for name in ("good", "bad", "wrong"))
    good.write_text(SCENARIO)
    result = baobei("check", str(good))
    assert (result.exit_code, result.stdout) == (0, f"ok      {good}\n1 passed, 0 failed\n")
    bad.write_text(SCENARIO.replace('"bird_3", "bird_1"]', '"bird_3", "bird_2"]'))
    result = baobei("check", str(tmp_path))
    assert result.exit_code == 1
    assert f"FAILED  {bad}: " in result.stdout
    assert result.stdout.endswith("1 passed, 1 failed\n")
    wrong.write_text("[start]\n")
    result = baobei("check", str(wrong), str(good))
    assert result.exit_code == 2
    assert f"{wrong}: " in result.stderr
    assert result.stdout.endswith("1 passed, 0 failed\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert baobei("check", str(empty)).exit_code == 2
    assert baobei("check", str(tmp_path / "none.toml")).exit_code == 2


# --- processes ------------------------------------------------------------------------------------


def test_python_m_sim() -> None:
    process = program("run", *SMALL, "--json")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert json.loads(out)["rounds"] == 200
    assert err == ""


def test_errors_of_a_process_are_one_line() -> None:
    process = program("run", "--players", "balanced,nobody_like_this")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out == ""
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c(tmp_path: Path) -> None:
    process = program("run", "--rounds", "1e10", "--out", str(tmp_path / "a"), "--records")
    while not list(tmp_path.glob("a/records.parts/0*")):
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    again = f"baobei run --rounds 1e10 --out {tmp_path / 'a'} --records"
    kept = f"what is finished is kept in {tmp_path / 'a'}"
    assert err.strip() == f"stopped; {kept}; to go on: {again}"
    done = load_results(tmp_path / "a")
    assert done.stopped_by == "interrupted"
    assert len(done.records) == 4 * done.sums["rounds"] > 0


def test_ctrl_c_without_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    import sim.api

    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sim.api, "run", stopped)
    result = baobei("run", "--rounds", "1e10")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "stopped; without --out FOLDER nothing is kept\n"


def test_a_file_that_ends_too_early_is_not_taken_for_ctrl_c(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends(*_: Any, **__: Any) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr("sim.api.run", ends)
    result = baobei("run", *SMALL)
    assert result.exit_code != 130
    assert isinstance(result.exception, EOFError)


@pytest.mark.skipif(os.name == "nt", reason="pipes")
def test_a_reader_that_went_away() -> None:
    with program("list", "players", "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 141


@pytest.mark.skipif(os.name == "nt", reason="terminals")
@pytest.mark.parametrize("quiet", [False, True])
def test_a_bar_on_a_terminal_alone(quiet: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    given = ["run", "--rounds", "400000", "--json", *(["--quiet"] if quiet else [])]
    command = [sys.executable, "-m", "sim", *given]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True)
    os.write(theirs, b"END")
    shown = b""
    while not shown.endswith(b"END"):
        shown += os.read(ours, 65536)
    for end in (ours, theirs):
        os.close(end)
    assert json.loads(done.stdout)["rounds"] == 400_000
    assert (b"rounds/s" in shown) != quiet
    assert (b"400k" in shown) != quiet


def test_narrow_encodings_do_not_break_output() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = program("trace", "--round", "3", env=environment)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert out


def test_a_decision_after_a_macaw_is_told_after_it() -> None:
    study = Study.of(players="casual,gambler,saboteur", rounds=1, seed=5)
    found = 0
    for index in range(40):
        lines = trace(study, index, explain=True).text().splitlines()
        for before, line in itertools.pairwise(lines):
            if line == "    and does not swap":
                assert before.startswith("    looks at"), (index, before)
                found += 1
    assert found


def test_a_trace_takes_a_study_by_name_and_says_what_is_wrong() -> None:
    assert trace("first", 3).events == trace(load_study("first"), 3).events
    wrong: list[Any] = ["3", 1.5, True, None, -1, 2**36]
    for index in wrong:
        with pytest.raises(InputError, match="round: expected a whole number from 0 to"):
            trace("first", index)
    with pytest.raises(InputError, match="expected a study's name"):
        trace(None)  # type: ignore[arg-type]


def test_a_trace_explains_its_decisions() -> None:
    plain = baobei("trace", "--seed", "3", "--format", "jsonl", "--quiet")
    told = baobei("trace", "--seed", "3", "--format", "jsonl", "--explain", "--quiet")
    events = [json.loads(line) for line in told.stdout.splitlines()]
    whys = [event for event in events if event["event"] == "why"]
    assert any("own_total" in why["estimates"] for why in whys)
    rest = [event for event in events if event["event"] != "why"]
    assert rest == [json.loads(line) for line in plain.stdout.splitlines()]
