"""What pyproject.toml allows is what the lock files hold."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]


def wanted(*extras):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    more = (project["optional-dependencies"][extra] for extra in extras)
    return [Requirement(text) for text in chain(project["dependencies"], *more)]


def locked(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z][a-z0-9-]*)==([^ ;]+)", text, re.M))


def test_the_oldest_versions_are_those_that_are_tested():
    held = locked("requirements-oldest.lock")
    for need in wanted("test", "dask"):
        (floor,) = need.specifier
        assert floor.operator == ">=", need
        assert Version(held[need.name]) == Version(floor.version), need


@pytest.mark.parametrize(
    ("name", "extras"), [("requirements.lock", ()), ("requirements-test.lock", ("test",))]
)
def test_the_newest_versions_are_allowed(name, extras):
    held = locked(name)
    for need in wanted(*extras):
        assert need.specifier.contains(held[need.name]), need
