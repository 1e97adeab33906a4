"""How far an interrupted comparison came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.batch.pairs import PairJob, PairSums
from sim.engine import ENGINE_VERSION
from sim.errors import InputError
from sim.game.comparison import Comparing
from sim.store.files import write
from sim.store.folder import check_same, read_held
from sim.store.keep import MANIFEST, Keeper, sealed, unsealed

SIDES = ("a", "b")

SUMS = "sums.json"
"""The file of a folder that holds the exact sums of both sides."""

UNFINISHED = "unfinished.json"
"""The file that holds how far an interrupted comparison came; the same command goes on from it."""

KEEP_SECONDS = 10.0
"""How often that file is written; a crash loses no more."""


def plan_of_comparison(comparing: Comparing) -> dict[str, Any]:
    """Return what a folder has to know of a comparison."""
    return {
        "kind": "comparison",
        "fingerprint": comparing.fingerprint,
        "seed": comparing.a.seed,
        "unit": comparing.a.unit,
        "count": comparing.a.count,
        "study": comparing.to_dict(),
    }


def check_sides(path: Path, comparing: Comparing) -> None:
    """Check, before anything is played, that the results of both sides can be written."""
    for side, study in zip(SIDES, (comparing.a, comparing.b), strict=True):
        if (path / side / MANIFEST).exists():
            check_same(path / side, read_held(path / side).study, study)


def keep(keeper: Keeper, pairs: PairSums) -> None:
    """Write down how far playing came: parts come in order, so all blocks up to some."""
    held = {"fingerprint": keeper.plan["fingerprint"], "engine": ENGINE_VERSION}
    with keeper.writing():
        line = sealed(held | {"pairs": pairs.to_dict()}).decode()
        write(keeper.path / UNFINISHED, line + "\n")


def kept(keeper: Keeper, comparing: Comparing, job: PairJob) -> PairSums:
    """Return what `_keep` wrote down of this very comparison, as this engine plays it."""
    wanted = {"fingerprint": keeper.plan["fingerprint"], "engine": ENGINE_VERSION}
    try:
        held = unsealed((keeper.path / UNFINISHED).read_bytes().rstrip(b"\n"))
        if {name: held.get(name) for name in wanted} != wanted:
            return PairSums.empty()
        pairs = PairSums.from_dict(held.get("pairs"))
        for sums, study in zip(pairs.sums, (comparing.a, comparing.b), strict=True):
            sums.check(study)
    except (InputError, OSError, ValueError, AttributeError):
        return PairSums.empty()  # nothing was kept, or somebody has changed it
    size = comparing.a.count // comparing.blocks
    whole = all(
        each.complete and each[comparing.a.unit] == size * pairs.blocks for each in pairs.sums
    )
    right = whole and pairs.blocks <= comparing.blocks and pairs.fits(job)
    return pairs if right else PairSums.empty()
