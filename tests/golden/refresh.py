"""Write the golden files again: `python tests/golden/refresh.py`.

Do so only when numbers are meant to change, in a commit of its own, with an entry under
"Numbers change" in CHANGELOG.md and a raised `sim.engine.ENGINE_VERSION`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim import Study, run, trace

HERE = Path(__file__).parent

STUDIES: dict[str, dict[str, Any]] = {
    "mixed": {"players": "balanced,novice,elephant,gambler", "rounds": 400, "seed": 7},
    "games": {
        "players": "sharp,casual",
        "edition": "first",
        "rules": {"game_threshold": 15},
        "games": 100,
        "seed": 7,
    },
    "dice": {"players": ",".join(["random"] * 6), "deck": "five_per_power", "rounds": 100},
}
"""What the golden files were played from; small, and every kind of player is in them."""


def summary(name: str) -> dict[str, Any]:
    """Return the summary of a golden study, less what depends on the machine."""
    found = run(Study.of(**STUDIES[name]), progress=False).summary()
    return {key: found[key] for key in found if key not in ("version", *TIMES)}


TIMES = ("seconds", "rounds_per_second")


def transcript(name: str) -> str:
    """Return the account of the first round or game of a golden study."""
    return trace(Study.of(**STUDIES[name]), 0, explain=True).text()


def main() -> None:
    """Write all golden files."""
    for name in STUDIES:
        text = json.dumps(summary(name), indent=1) + "\n"
        (HERE / f"{name}.json").write_text(text, encoding="utf-8")
        (HERE / f"{name}.txt").write_text(transcript(name), encoding="utf-8")


if __name__ == "__main__":
    main()
