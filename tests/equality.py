"""Shows that a change of the code changes nothing that a user can see.

    python tests/equality.py keep FOLDER --tree OLD
    python tests/equality.py compare FOLDER

The first writes what the checkout OLD prints and stores into a folder; the second does the
same with this checkout and shows what differs. Commands, JSON, error messages, results folders with
their tables and records, pages, what objects show in notebooks: everything is reached through the
program and the public names of `sim`, so that modules may move. Times and paths are masked,
pictures are compared by their digests. With `--only PATTERN` only files whose names (`part/name`)
hold the pattern are written and compared. It takes about a minute. The part `tree` holds golden
files, `results/` and `sim/data` as they are committed; `results/` is not played again.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import io
import os
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

TABLE = "--players balanced,sharp,novice,elephant --seed 5"
PLAYED = {
    "run": f"run {TABLE} --rounds 3000 --records --out run",
    "run-first": "run --players gambler,rusher --edition first --rounds 2000 --out run-first",
    "run-games": "run --players balanced,casual,turtle --games 60 --records --out games",
    "run-six": "run --players cautious,goldfish,saboteur,random,casual,novice --rounds 2000",
    "run-deck": "run --players sharp,sharp,sharp --deck five_per_power --rounds 2000 --json",
    "run-json": f"run {TABLE} --rounds 2000 --json",
    "run-changed": f"run {TABLE} --rule shield=none --set 0.bao_threshold=9 --rounds 2000",
    "run-until": "run --players sharp,novice --until win_share[0]±0.02 --max-rounds 20000 --out to",
    "run-part": f"run {TABLE} --rounds 3000 --range 500:1500 --out part",
    "run-rest": f"run {TABLE} --rounds 3000 --range 0:500 --out rest --json",
    "run-study": "run study.toml --rounds 1000",
    "run-first-study": "run {root}/sim/data/studies/first.toml --rounds 1000",
    "run-again": f"run {TABLE} --rounds 3000 --records --out run",
    "run-processes": f"run {TABLE} --rounds 2000 --processes 2 --json",
    "golden-mixed": "run --players balanced,novice,elephant,gambler --rounds 400 --seed 7 --json",
    "golden-games": "run --players sharp,casual --edition first --rule game_threshold=15 "
    "--games 100 --seed 7 --json",
    "golden-dice": "run --players random,random,random,random,random,random "
    "--deck five_per_power --rounds 100 --json",
    "merge": "merge part rest --out merged",
    "merge-json": "merge rest part --out merged-json --json",
    "extend": "extend to --rounds 4000",
    "extend-json": "extend run-first --rounds 2500 --json",
    "compare": "compare study.toml --rule bao_failure_minimum=10 "
    "--rounds 4000 --out comparison --all",
    "compare-games": "compare games.toml --rule shield=none --games 40 --json",
    "compare-set": f"compare {TABLE} --set 0.bao_threshold=3 --rounds 2000 --out comparison-set",
    "sweep": "sweep --players balanced,sharp --over 0.bao_threshold=2,5 --rounds 1500 --out sweep",
    "sweep-two": "sweep --players balanced,sharp --over rules.shield=none,at_once "
    "--over rules.recycle_limit=1,2 --rounds 800 --out map",
    "sweep-games": "sweep --players novice,sharp --over 1.pluck_confidence=0.5,0.7,0.9 "
    "--games 30 --json",
    "tournament": "tournament --players balanced,sharp,novice,random,elephant --seats 3 "
    "--rounds 6000 --out tournament",
    "tournament-json": "tournament --players balanced,sharp,novice --seats 2 --rounds 3000 --json",
}
PAGES = {
    "run": "run",
    "games": "games",
    "comparison": "comparison",
    "sweep": "sweep",
    "map": "map",
    "tournament": "tournament",
}
SHOWN = {
    "trace": f"trace {TABLE} --round 3",
    "trace-explain": f"trace {TABLE} --round 4 --explain",
    "trace-jsonl": f"trace {TABLE} --round 5 --format jsonl",
    "trace-game": "trace --players sharp,casual --rule game_threshold=20 --game 1 --explain",
    "trace-first": "trace --players random,random --edition first --round 2 --format jsonl",
    "check": "check {root}/tests/scenarios",
    "version": "--version",
    **{f"list-{what}": f"list {what}" for what in ("decks", "rules", "players", "metrics")},
    **{f"list-{what}-json": f"list {what} --json" for what in ("decks", "rules", "players")},
    "list-metrics-json": "list metrics --json",
    "list-player": "list players balanced elephant",
    "list-deck": "list decks five_per_power",
}
WRONG = {
    "no-command": "rum",
    "no-option": "run --round 3",
    "no-player": "run --players balanced,shrap",
    "one-player": "run --players balanced",
    "no-rule": "run --rule sheild=none",
    "rule-value": "run --rule shield=maybe",
    "rule-form": "run --rule shield",
    "rule-range": "run --rule max_turns=0",
    "set-seat": "run --set 9.bao_threshold=3",
    "set-name": "run --set 0.bao_treshold=3",
    "set-value": "run --set 0.bao_threshold=high",
    "digits": f"run --set 0.bao_threshold={'9' * 5000}",
    "brackets": f"run --rule hand_size={'[' * 20000}",
    "over-brackets": f"sweep --over 0.bao_threshold={'[' * 20000}",
    "no-file": "run nothing.toml",
    "no-toml": "run broken.toml",
    "unknown-key": "run unknown.toml",
    "wrong-type": "run typed.toml",
    "no-deck": "run --deck five_per",
    "no-edition": "run --edition third",
    "range": "run --rounds 100 --range 50:200",
    "until": "run --until wins[0]±1",
    "folder-file": "run --rounds 100 --out broken.toml",
    "other-study": "run --rounds 100 --seed 9 --out run",
    "no-results": "report nothing",
    "report-folder": "report damaged",
    "extend-less": "extend run --rounds 10",
    "merge-twice": "merge part part --out again",
    "over": "sweep --over bao=1,2 --rounds 100",
    "over-unknown": "sweep --over 0.bao_tresh=1,2 --rounds 100",
    "tournament-one": "tournament --players sharp --rounds 100",
    "no-scenario": "check nothing.toml",
    "lang": "report run --lang xx",
    "check-broken": "check unknown.toml",
}
COMMITTED = ("tests/golden", "results", "sim/data")
FILES = {
    "games.toml": 'players = ["sharp", "sharp"]\ngames = 40\n',
    "study.toml": 'players = ["balanced", "sharp"]\nrounds = 1000\nseed = 3\n'
    'title = "A small study"\nquestion = "Who wins?"\n[rules]\npeeks = 1\n',
    "broken.toml": "players = [",
    "unknown.toml": 'playrs = ["balanced"]\n',
    "typed.toml": 'players = ["balanced", "sharp"]\nseed = "three"\n',
    "damaged/manifest.json": '{"kind": "run", ',
}

MASKS = [
    (re.compile(r'("(?:compile_)?seconds": |"rounds_per_second": )[-+.e\d]+'), r"\1…"),
    (re.compile(r"(played in )[\d.,]+ s(?:, [\d,]+ a second)?"), r"\1…"),
    (re.compile(r"[\d.]+ s (after that to draw)"), r"… \1"),
    (re.compile(r"compiling the engine, once, about a minute \.\.\.\n"), ""),
    (re.compile(r"[\d.]+ (?:s|minutes) before that to (?:compile or )?load"), "… to load"),
    (re.compile(r"; … to load the engine"), ""),
    (re.compile(r"[\d,]+ (rounds|games) a second"), r"… \1 a second"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?"), "DATE"),
]
PICTURES = re.compile(r"<svg\b.*?</svg>|data:image/[a-z+]+;base64,[A-Za-z0-9+/=]+", re.DOTALL)


def masked(text: str) -> str:
    """Return a text without what differs from one time or place to another."""
    text = text.replace(str(Path.cwd()), "<here>").replace(os.environ["EQUALITY_ROOT"], "<root>")
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return PICTURES.sub(lambda found: f"<picture {digest(found[0].encode())}>", text)


def digest(content: bytes) -> str:
    """Return a short digest."""
    return hashlib.sha256(content).hexdigest()[:16]


def command(words: str) -> str:
    """Return what a command prints, on both streams, and how it ends."""
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["baobei", *words.format(root=os.environ["EQUALITY_ROOT"]).split()]
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_module("sim", run_name="__main__")
        except SystemExit as end:
            code = end.code
        except BaseException:
            code = traceback.format_exc()
    shown = words if len(words) < 200 else words[:200] + "…"
    return f"$ baobei {shown}\n{out.getvalue()}\n--- stderr\n{err.getvalue()}\n--- {code}\n"


def content(path: Path) -> str:
    """Return a file as text: tables row by row, pictures by their digest."""
    import pandas as pd

    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
        return f"{frame.dtypes.to_string()}\n{frame.to_csv()}"
    raw = path.read_bytes()
    if path.suffix in (".png", ".svg") or b"\0" in raw:
        return f"{digest(raw)} {len(raw)}\n"
    text = raw.decode("utf-8")
    return re.sub(r">\s*<", ">\n<", text) if path.suffix == ".html" else text


def commands(words: list[str]) -> dict[str, str]:
    """Return the help of a command and of all below it."""
    text = command(" ".join([*words, "--help"]))
    found = {"-".join(words) or "baobei": text}
    below = re.search(r"\nCommands:\n(.*?)\n\n", text + "\n\n", re.DOTALL)
    for line in below[1].splitlines() if below else []:
        if name := re.match(r"  (\w+)  ", line):
            found |= commands([*words, name[1]])
    return found


def objects() -> dict[str, str]:
    """Return what objects of the public names say and show."""
    import sim

    def shown(thing: Any) -> str:
        html = (
            re.sub(r">\s*<", ">\n<", thing._repr_html_()) if hasattr(thing, "_repr_html_") else ""
        )
        bundle: Any = getattr(thing, "_repr_mimebundle_", dict)()
        return f"{thing!r}\n\n{thing}\n\n{html}\n\n{bundle or ''}"

    study = sim.Study.of(players="balanced,sharp,novice", rounds=1500, seed=2)
    result = sim.run(study, records=True, progress=False)
    comparison = sim.compare(study, rules={"shield": "none"}, progress=False)
    sweep = sim.sweep(study, {"0.bao_threshold": [2, 6]}, progress=False)
    design = sim.Tournament.of(players="sharp,balanced,novice,random", rounds=4000)
    tournament = sim.tournament(design, progress=False)
    things: dict[str, Any] = {
        "study": study,
        "player": sim.load_player("elephant"),
        "deck": sim.load_deck("five_per_power"),
        "rules": sim.Rules.of("first", peeks=3),
        "design": design,
        "result": result,
        "comparison": comparison,
        "sweep": sweep,
        "tournament": tournament,
        "trace": sim.trace(study, 4, explain=True),
        "loaded": sim.load_results("run"),
        "loaded-comparison": sim.load_comparison("comparison"),
    }
    found = {name: shown(thing) for name, thing in things.items()}
    frames = {f"result-{name}": frame for name, frame in result.tables().items()}
    frames |= {"records": result.records, "calibration": result.calibration}
    for name in ("differences", "table", "metrics", "points", "ranking", "pairs"):
        for key in ("comparison", "sweep", "tournament"):
            if hasattr(frame := getattr(things[key], name, None), "to_csv"):
                frames[f"{key}-{name}"] = frame
    found |= {
        name: f"{frame.dtypes.to_string()}\n{frame.to_csv()}" for name, frame in frames.items()
    }
    names = {kind: sorted(n for n in dir(thing) if n[0] != "_") for kind, thing in things.items()}
    names["sim"] = sorted(sim.__all__)
    return found | {"names": "\n".join(f"{key}: {value}" for key, value in names.items())}


def committed(tree: Path) -> dict[str, str]:
    """Return what a checkout holds of golden files, results and data."""
    paths = [path for top in COMMITTED for path in sorted((tree / top).rglob("*"))]
    kept = [path for path in paths if path.is_file() and not path.name.endswith((".py", ".pyc"))]
    return {str(path.relative_to(tree)): content(path) for path in kept}


def play(out: Path, only: re.Pattern[str]) -> None:
    """Write everything into a folder; the current folder is for what commands leave."""
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")

    def put(part: str, found: dict[str, str]) -> None:
        for name, text in found.items():
            if not only.search(f"{part}/{name}.txt"):
                continue
            if part in ("help", "shown", "played", "pages") and not text.endswith("--- 0\n"):
                print(f"{part}/{name}: this should have worked\n{text[-300:]}", file=sys.stderr)
            path = out / part / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(masked(text), encoding="utf-8")

    put("tree", committed(Path(os.environ["EQUALITY_ROOT"])))
    put("help", commands([]))
    put("shown", {name: command(words) for name, words in SHOWN.items()})
    put("played", {name: command(words) for name, words in PLAYED.items()})
    put("wrong", {name: command(words) for name, words in WRONG.items()})
    for name, folder in PAGES.items():
        put("pages", {name: command(f"report {folder}")})
    for lang in ("it", "fr", "pt", "es"):
        for folder in ("run", "comparison", "sweep", "tournament"):
            page = f"{folder}-{lang}.html"
            put("pages", {page: command(f"report {folder} --lang {lang} --out {page}")})
    put("pages", {"together.html": command("report run comparison --out together.html")})
    put("objects", objects())
    kept = [path for path in sorted(Path().rglob("*")) if path.is_file() and path.name[0] != "."]
    put("files", {str(path): content(path) for path in kept})


def gather(out: Path, tree: Path, only: str) -> None:
    """Run `play` for a checkout, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"PYTHONPATH": str(tree), "EQUALITY_ROOT": str(tree), "MPLBACKEND": "agg"}
        settings |= {"COLUMNS": "100", "BAOBEI_THREADS": "1"}
        subprocess.run(
            [
                sys.executable,
                "-P",
                str(Path(__file__).resolve()),
                "play",
                str(out.resolve()),
                "--only",
                only,
            ],
            cwd=folder,
            env=os.environ | settings,
            check=True,
        )


def compare(before: Path, after: Path, lines: int, only: re.Pattern[str]) -> int:
    """Print what differs between two folders; return how many files do."""
    names = sorted(
        {str(path.relative_to(root)) for root in (before, after) for path in root.rglob("*.txt")}
    )
    names = [name for name in names if only.search(name)]
    differing = 0
    for name in names:
        old, new = (
            path.read_text("utf-8").splitlines() if (path := root / name).exists() else []
            for root in (before, after)
        )
        if old != new:
            differing += 1
            found = [line[:240] for line in difflib.unified_diff(old, new, name, name, n=0)]
            print("\n".join(found[:lines]), *([f"... {len(found)} lines"] * (len(found) > lines)))
    print(f"{differing} of {len(names)} differ")
    return differing


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("keep", "compare", "play"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout; this one")
    parser.add_argument("--lines", type=int, default=12, help="of each difference")
    parser.add_argument("--only", default="", metavar="PATTERN", help="of names of files")
    asked = parser.parse_args()
    only = re.compile(asked.only)
    if asked.what == "play":
        play(asked.folder, only)
    elif asked.what == "keep":
        if asked.folder.exists() and any(asked.folder.iterdir()):
            parser.error(f"{asked.folder} is not empty")
        gather(asked.folder, asked.tree.resolve(), asked.only)
    else:
        with tempfile.TemporaryDirectory() as after:
            gather(Path(after), asked.tree.resolve(), asked.only)
            return 1 if compare(asked.folder, Path(after), asked.lines, only) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
