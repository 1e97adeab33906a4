#!/usr/bin/env python3
"""Set the project up and do its jobs; needs nothing but Python and its standard library.

    python3 go.py run [...]     play: what `baobei run [...]` does; without arguments, a first study
    python3 go.py test [...]    all checks and tests, or only the named ones: lint format types
                                imports coverage tests; on demand also bounds, oldest and slow
    python3 go.py results [...] play the standard studies, or only the named ones, into results/;
                                one that was interrupted goes on
    python3 go.py notebooks     execute the notebooks and write them again with their outputs
    python3 go.py setup         only set up, for running and testing
    python3 go.py lock [...]    make the lock files again; --upgrade takes the newest packages
    python3 go.py COMMAND [...] any other command of `baobei`: trace, check, list, bench, ...

Setting up makes the folder .venv beside this file, once, and again when a lock file changes.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)

if not OLDEST <= sys.version_info[:2] <= NEWEST:  # before any syntax that an old Python would miss
    names = [f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    found = [name for name in names if shutil.which(name)]
    hint = " ".join([found[0], *sys.argv]) if found else "install one of them first"
    sys.exit(
        f"go.py needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}; this is "
        f"{sys.version.split()[0]} ({sys.executable}). Try: {hint}"
    )

ROOT = Path(__file__).resolve().parent
# Which packages: the locked newest, or the oldest that pyproject.toml allows.
OLD = os.environ.get("BAOBEI_PACKAGES") == "oldest"
VENV = ROOT / (".venv-oldest" if OLD else ".venv")
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "baobei-setup.json"
OLDEST_LOCK = ROOT / "requirements-oldest.lock"
LOCKS = {"run": ROOT / "requirements.lock", "test": ROOT / "requirements-test.lock"}
if OLD:
    LOCKS = dict.fromkeys(LOCKS, OLDEST_LOCK)

INTERRUPTED = 130


class Stop(Exception):
    """Ends the program: a message for the user, and the exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        """Keep both."""
        super().__init__(message)
        self.code = code


def say(text: str, end: str = "\n") -> None:
    """Tell the user something; stdout is left to the command that was asked for."""
    print(text, end=end, file=sys.stderr, flush=True)


# --- setting up ---------------------------------------------------------------------------------


def digest(level: str) -> str:
    """Return a digest of all that decides what set-up of a level, run or test, installs."""
    content = hashlib.sha256()
    for path in (LOCKS[level], ROOT / "pyproject.toml"):
        content.update(path.read_bytes())
    return content.hexdigest()


def read_stamp() -> dict[str, str]:
    """Return what the last set-up left: the repository's folder, and a digest for each level."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def set_up(level: str) -> None:
    """Make the environment and install the locked packages, unless that has been done.

    Args:
        level: ``run``, or ``test`` which has all of ``run`` and the tools of the checks.
    """
    stamp = read_stamp()
    moved = stamp.get("root", str(ROOT)) != str(ROOT)
    if PYTHON.exists() and not moved and stamp.get(level) == digest(level):
        return
    say(f"baobei: setting up {VENV} from {LOCKS[level].name} (once; some minutes) ...", end=" ")
    start = time.monotonic()
    if moved or not PYTHON.exists():
        shutil.rmtree(VENV, ignore_errors=True)
        make_environment()
    check_environment()
    STAMP.unlink(missing_ok=True)
    pip("--no-deps", "--require-hashes", "--only-binary=:all:", "-r", str(LOCKS[level]))
    pip("--no-deps", "--no-build-isolation", "-e", str(ROOT))
    ready = ("run", "test") if level == "test" else ("run",)
    stamp = {"root": str(ROOT)} | {name: digest(name) for name in ready}
    STAMP.write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
    say(f"done in {time.monotonic() - start:.0f} s")


def make_environment() -> None:
    """Make .venv in the first way that works; some systems ship Python without some of them."""
    base = str(getattr(sys, "_base_executable", sys.executable))
    venv, has = str(VENV), {name for name in ("venv", "ensurepip", "pip") if find_spec(name)}
    ways: list[list[list[str]]] = []
    if {"venv", "ensurepip"} <= has:
        ways.append([[base, "-m", "venv", venv]])
    if find_spec("virtualenv"):
        ways.append([[sys.executable, "-m", "virtualenv", "--python", base, venv]])
    elif shutil.which("virtualenv"):
        ways.append([["virtualenv", "--python", base, venv]])
    if shutil.which("uv"):
        ways.append([["uv", "venv", "--seed", "--clear", "--python", base, venv]])
    if {"venv", "pip"} <= has:
        bare = [base, "-m", "venv", "--without-pip", venv]
        ways.append([bare, [base, "-m", "pip", "--python", str(PYTHON), "install", "pip"]])
    problem = "No way to make an environment."
    for commands in ways:
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            problem = (done.stderr or done.stdout).strip()
            if done.returncode != 0:
                break
        else:
            return
    say("")
    raise Stop(
        f"{problem}\nThe folder {VENV} could not be made. It takes Python's own modules venv and "
        "ensurepip, or virtualenv: on Debian and Ubuntu `apt install python3-venv`, elsewhere "
        "`pip install virtualenv`."
    )


def check_environment() -> None:
    """Refuse an environment of another Python; give it pip if it has none."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    seen = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False)
    version = tuple(int(part) for part in seen.stdout.split(".")) if seen.returncode == 0 else ()
    if not OLDEST <= version <= NEWEST:
        what = f"is of Python {seen.stdout.strip()}" if version else "is broken"
        say("")
        raise Stop(f"The environment {VENV} {what}; remove the folder and try again.")
    if subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode:
        subprocess.run([str(PYTHON), "-m", "ensurepip"], capture_output=True, check=False)


def pip(*arguments: str) -> None:
    """Install into .venv; quiet as long as all goes well."""
    options = ["-qq", "--disable-pip-version-check", "--no-input", "--progress-bar=off"]
    done = subprocess.run(
        [str(PYTHON), "-m", "pip", "install", *options, *arguments], stdout=sys.stderr, check=False
    )
    if done.returncode != 0:
        raise Stop(
            "Could not install the packages; pip says why above. Without wheels for this "
            "machine in the lock file, try another Python from 3.11 to 3.13."
        )


# --- jobs ---------------------------------------------------------------------------------------


def baobei(arguments: list[str]) -> int:
    """Become the program `baobei`; on Windows, which cannot, wait for it."""
    program = str(BIN / "baobei")
    if os.name != "nt":
        os.execv(program, [program, *arguments])
    return wait(subprocess.Popen([f"{program}.exe", *arguments]))


def wait(process: "subprocess.Popen[bytes]") -> int:
    """Return a process's exit code; after Ctrl-C, which reaches the process too, 130."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        try:
            process.wait(timeout=10)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            process.terminate()
        return INTERRUPTED


def lock(arguments: list[str]) -> int:
    """Make the lock files again from pyproject.toml with uv, which is fetched if missing."""
    import tempfile
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    backend = "\n".join(project["build-system"]["requires"])
    options = ["--universal", "--fork-strategy=fewest", "--python-version=3.11", "--quiet"]
    options += ["--generate-hashes", "--no-header", "--no-emit-index-url", "--no-annotate"]
    with tempfile.TemporaryDirectory() as folder:
        compile_ = [find_uv(folder), "pip", "compile", "pyproject.toml", "-", *options, *arguments]
        newest = ["--extra=test", "-c", LOCKS["run"].name]
        oldest = ["--extra=test", "--resolution=lowest-direct"]
        more: dict[str, list[str]] = {"run": [], "test": newest, "oldest": oldest}
        for level, path in [*LOCKS.items(), ("oldest", OLDEST_LOCK)]:
            command = [*compile_, *more[level], "-o", path.name]
            # Without stdout: uv prints there what it writes into the file.
            done = subprocess.run(
                command, cwd=ROOT, input=backend, text=True, check=False, stdout=subprocess.DEVNULL
            )
            if done.returncode != 0:
                return done.returncode
            packages = path.read_text(encoding="utf-8")
            if "://" in packages:
                raise Stop(f"{path.name} names an address; it must hold names and hashes only.")
            purpose = {"run": "run", "test": "run and test"}.get(
                level, "test the oldest packages of"
            )
            header = f'# What it takes to {purpose} baobei-sim; made by "python3 go.py lock".\n'
            path.write_text(header + packages, encoding="utf-8", newline="\n")
            say(f"{path.name}: {len(re.findall(r'^[a-z].*==', packages, re.M))} packages")
    return 0


def find_uv(folder: str) -> str:
    """Return the path of uv; installs it into a folder where the machine has none."""
    uv = shutil.which("uv")
    if uv is None:
        set_up("run")
        pip("--target", folder, "uv")
        uv = shutil.which("uv", path=str(Path(folder, "bin")))
    if uv is None:
        raise Stop("The program uv is needed to make the lock files.")
    return uv


def notebooks(arguments: list[str]) -> int:
    """Execute the notebooks again, or only the named ones, and write them with their outputs."""
    set_up("test")
    command = [str(PYTHON), str(ROOT / "notebooks" / "refresh.py"), *arguments]
    return wait(subprocess.Popen(command, cwd=ROOT))


def results(names: list[str]) -> int:
    """Make the results of the standard studies again, or only of the named ones."""
    folder = ROOT / "results" / "studies"
    studies = {path.stem: path for path in sorted(folder.iterdir()) if path.name[0] not in "._"}
    unknown = [name for name in names if name not in studies]
    if unknown:
        raise Stop(f"No such study: {unknown[0]}; there are {', '.join(studies)}.", 2)
    set_up("run")
    for name in names or studies:
        for study in to_play(studies[name]):
            code = play_standard(*study)
            if code != 0:
                return code
    return 0


def to_play(study: Path) -> list[tuple[str, list[Path], Path]]:
    """Return the command, study files and results folder of each thing to play for a study.

    A file is a sweep, a tournament or a table; in a folder all are compared with its base.toml.
    """
    import tomllib

    results = ROOT / "results" / study.stem
    if not study.is_dir():
        keys = tomllib.loads(study.read_text("utf-8"))
        command = "sweep" if "sweep" in keys else "tournament" if "seats" in keys else "run"
        return [(command, [study], results)]
    base = study / "base.toml"
    others = sorted(path for path in study.glob("*.toml") if path != base)
    return [("compare", [base, other], results / other.stem) for other in others]


def play_standard(command: str, files: list[Path], folder: Path) -> int:
    """Play one standard study beside its folder; its files then replace those of the same name."""
    new = folder.with_name(folder.name + ".new")
    words = [command, *(str(path.relative_to(ROOT)) for path in files)]
    words += ["--out", str(new.relative_to(ROOT))]
    say(f"baobei {' '.join(words)}")
    code = wait(subprocess.Popen([str(PYTHON), "-m", "sim", *words], cwd=ROOT))
    if code == 0:
        shutil.copytree(new, folder, dirs_exist_ok=True)
        shutil.rmtree(new)
    return code


# --- checks -------------------------------------------------------------------------------------

PYTEST = ["-m", "pytest", "-n", "2"]
PLAIN = ["-m", "not slow and not jit", "--cov", "--cov-branch", "--cov-report="]
PLAIN += [f"tests/{folder}" for folder in ("core", "engine", "policies", "watch")]
REPORT = ["-m", "coverage", "report", "--fail-under=95", "--include=sim/core/*,sim/engine/*"]
LAYERS = ["-c", "from importlinter.cli import lint_imports_command as main; main()"]

# Name: (title, commands as arguments to Python, the first that fails ends the check).
CHECKS: dict[str, tuple[str, list[list[str]]]] = {
    "lint": ("Style: ruff check", [["-m", "ruff", "check", "--output-format=concise"]]),
    "format": ("Layout: ruff format --check", [["-m", "ruff", "format", "--check"]]),
    "types": ("Types: mypy", [["-m", "mypy"]]),
    "imports": ("Layers: lint-imports", [[*LAYERS, "--no-logo", "--no-cache"]]),
    "tests": ("Tests: pytest", [PYTEST]),
    "coverage": ("Coverage of the engine, as plain Python", [[*PYTEST, *PLAIN], REPORT]),
    "bounds": ("Tests with array bounds checked", [PYTEST]),
    "oldest": ("Tests with the oldest packages allowed", [["go.py", "test", "tests"]]),
    "slow": ("Long statistical tests", [[*PYTEST, "-m", "slow"]]),
}
ON_DEMAND = ("bounds", "oldest", "slow")
# Environment variables of single checks; the user's own settings win.
SETTINGS = {
    "coverage": {"NUMBA_DISABLE_JIT": "1", "BAOBEI_TEST_SCALE": "0.02"},
    "bounds": {"NUMBA_BOUNDSCHECK": "1"},
    "oldest": {"BAOBEI_PACKAGES": "oldest"},
}


def check(names: list[str]) -> int:
    """Do the named checks, or the usual ones; go on after a failure; sum up at the end."""
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise Stop(f"No such check: {unknown[0]}; there are {', '.join(CHECKS)}.", 2)
    set_up("test")
    outcomes: list[tuple[str, str, str, float]] = []
    for name in names or [name for name in CHECKS if name not in ON_DEMAND]:
        start = time.monotonic()
        print(f"\n== {name}: {CHECKS[name][0]}", flush=True)
        outcome, closing = one_check(name)
        if outcome == "interrupted":
            return INTERRUPTED
        outcomes.append((name, outcome, closing, time.monotonic() - start))
    print("\n== Summary")
    for name, outcome, closing, seconds in outcomes:
        print(f"{outcome:8}{name:10}{seconds:6.0f} s  {closing.strip('= ')}".rstrip())
    for name, _, closing, _ in outcomes:
        if name == "tests":
            print(closing)
    return int(any(outcome == "FAILED" for _, outcome, _, _ in outcomes))


def one_check(name: str) -> tuple[str, str]:
    """Return how a check ended (ok, FAILED, skipped, interrupted) and pytest's closing line."""
    if name == "coverage" and not (ROOT / "tests" / "engine").is_dir():
        print("left out: there is no folder tests/engine")
        return "skipped", "no folder tests/engine"
    environment = SETTINGS.get(name, {}) | os.environ
    closing = ""
    for command in CHECKS[name][1]:
        code, output = shown([str(PYTHON), *command], environment)
        last = [line for line in output.splitlines() if line.strip()][-1:]
        if "pytest" in command or name == "oldest":
            closing = "".join(last)
        if code != 0:
            return "interrupted" if code == INTERRUPTED else "FAILED", closing
    return "ok", closing


def shown(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a command in the repository, show what it prints, return exit code and last output."""
    tail = b""
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    try:
        chunk = os.read(process.stdout.fileno(), 65536)
        while chunk:
            sys.stdout.buffer.write(chunk)
            sys.stdout.flush()
            tail = (tail + chunk)[-4096:]
            chunk = os.read(process.stdout.fileno(), 65536)
    except KeyboardInterrupt:
        wait(process)
        return INTERRUPTED, ""
    return wait(process), tail.decode(errors="replace")


# --- main ---------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Do what the command line asks for; return the exit code."""
    job, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if job in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0
    if job == "test":
        return check(rest)
    if job == "setup":
        set_up("test")
        return 0
    if job == "lock":
        return lock(rest)
    if job == "notebooks":
        return notebooks(rest)
    if job == "results":
        return results(rest)
    set_up("run")
    return baobei(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        say(f"go.py: {stop}")
        sys.exit(stop.code)
    except KeyboardInterrupt:
        say("")
        sys.exit(INTERRUPTED)
