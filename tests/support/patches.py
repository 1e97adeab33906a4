"""Changes to files as the pages in docs/ show them: unified diffs without numbers of lines.

A ``diff`` block names files (``--- a/FILE``, ``+++ b/FILE``; ``--- /dev/null`` for a new one) and,
after each ``@@``, a place: lines with ``-`` go, lines with ``+`` come, all others stay. A place is
found by its lines that go and stay, which must stand in the file exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class DoesNotFit(AssertionError):
    """A page shows a change of something that is no longer in the sources."""


@dataclass(frozen=True)
class Patch:
    """The changes of one file: the lines before and after at each place."""

    path: str
    new: bool
    places: tuple[tuple[str, str], ...]

    def apply(self, root: Path) -> None:
        """Change the file below `root`.

        Raises:
            DoesNotFit: A place is not there, or more than once.
        """
        file = root / self.path
        if self.new == file.exists():
            raise DoesNotFit(f"{self.path}: {'is there already' if self.new else 'no such file'}")
        text = "" if self.new else file.read_text("utf-8")
        for before, after in self.places:
            if not self.new:
                times = f"\n{text}".count(f"\n{before}")
                if times != 1:
                    raise DoesNotFit(f"{self.path}: found {times} times instead of once:\n{before}")
            text = f"\n{text}".replace(f"\n{before}", f"\n{after}", 1)[1:]
        file.write_text(text, encoding="utf-8")


def patches(page: str) -> Iterator[Patch]:
    """Yield the changes that a page shows, in their order."""
    for block in re.findall(r"^```diff\n(.*?)^```$", page, re.M | re.S):
        head, *files = re.split(r"^--- ", block, flags=re.M)
        if head:
            raise DoesNotFit(f"a diff begins with '--- a/FILE', not with\n{head}")
        for part in files:
            old, new, *_ = part.split("\n")
            places = part.split("\n@@\n")[1:]
            if not re.fullmatch(r"\+\+\+ b/\S+", new) or not places:
                raise DoesNotFit(f"'+++ b/FILE' and '@@' must follow:\n--- {part}")
            path = new.removeprefix("+++ b/")
            yield Patch(path, old == "/dev/null", tuple(_sides(place) for place in places))


def _sides(place: str) -> tuple[str, str]:
    """Return the lines before and those after; an empty line stands for an empty one."""
    lines = [line or " " for line in place.removesuffix("\n").split("\n")]
    wrong = [line for line in lines if line[0] not in "+- "]
    if wrong:
        raise DoesNotFit(f"a line of a diff begins with '+', '-' or ' ': {wrong[0]!r}")
    before = "".join(f"{line[1:]}\n" for line in lines if line[0] != "+")
    after = "".join(f"{line[1:]}\n" for line in lines if line[0] != "-")
    return before, after
