"""Pages in a real browser: quiet, readable on a phone and on a desk, sortable, printable."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from analysis.report import report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

pytestmark = [
    pytest.mark.jit,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium in PATH: pages are not looked at"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

WIDTHS = (380, 1400)
LEAST = 11
"""CSS pixels of the smallest letters."""

PAGES: dict[str, tuple[list[str], str]] = {
    "run": (["run"], "en"),
    "few-pt": (["few"], "pt"),
    "games-es": (["games"], "es"),
    "comparison": (["comparison"], "en"),
    "rotated-it": (["rotated"], "it"),
    "sweep": (["sweep"], "en"),
    "grid-it": (["grid"], "it"),
    "tournament": (["tournament"], "en"),
    "several": (["comparison", "rotated"], "en"),
    "mixed-fr": (["tournament", "comparison", "sweep"], "fr"),
}
"""Results and language of each page."""


@pytest.fixture(scope="session")
def pages(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    made = {}
    for name, (kinds, lang) in PAGES.items():
        made[name] = place / f"{name}.html"
        made[name].write_text(report([folders[kind] for kind in kinds], lang), encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


Show = Callable[..., "Page"]

UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


@pytest.fixture(scope="session")
def unfolded(browser: Browser, pages: dict[str, Path]) -> Iterator[Show]:
    """Return a page with all unfolded, by name and width; each is opened once for all tests."""
    opened: dict[tuple[str, int], Page] = {}

    def shown(name: str, width: int) -> Page:
        if (name, width) not in opened:
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(pages[name].as_uri())
            page.evaluate(UNFOLD)
            opened[name, width] = page
        return opened[name, width]

    yield shown
    for page in opened.values():
        page.close()


@pytest.fixture
def show(browser: Browser, pages: dict[str, Path]) -> Iterator[Show]:
    """Open a page by name; at its end it must have been quiet and alone."""
    contexts, complaints, requests = [], [], []

    def opened(name: str, width: int = 1400, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(pages[name].as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    own = {path.as_uri() for path in pages.values()}
    assert [url for url in requests if url not in own and not url.startswith("data:")] == []


# --- readable -------------------------------------------------------------------------------------

SMALL_LETTERS = """least => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !parent.checkVisibility()) continue;
        if (parent.closest("script, style, svg")) continue;
        const size = parseFloat(getComputedStyle(parent).fontSize);
        if (size < least) found.push([size, walker.currentNode.textContent.trim().slice(0, 40)]);
    }
    for (const svg of document.querySelectorAll("svg")) {
        if (!svg.checkVisibility()) continue;
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        const size = Number(svg.dataset.letters) * scale;
        if (!(size >= least)) found.push([size, svg.getAttribute("aria-label").slice(0, 60)]);
    }
    return found;
}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_readable(name: str, width: int, unfolded: Show) -> None:
    page = unfolded(name, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALL_LETTERS, LEAST) == []


PICTURES = """
[...document.querySelectorAll("svg")].filter(svg => svg.checkVisibility()).map(svg => {
    const shown = svg.getBoundingClientRect(), drawn = svg.getBBox(), box = svg.viewBox.baseVal;
    return {
        label: svg.getAttribute("aria-label"), paths: svg.querySelectorAll("path").length,
        width: shown.width, height: shown.height,
        filled: drawn.width / box.width * drawn.height / box.height,
    };
})"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_pictures_are_not_empty(name: str, width: int, unfolded: Show) -> None:
    page = unfolded(name, width)
    pictures = page.evaluate(PICTURES)
    assert len(pictures) == len(page.query_selector_all("figure"))
    assert pictures
    for picture in pictures:
        assert picture["label"]
        assert picture["paths"] > 10
        assert picture["filled"] > 0.6
        assert picture["width"] > 250
        assert picture["height"] > 100


@pytest.mark.parametrize("name", ["run", "grid-it", "tournament"])
def test_pictures_are_painted(name: str, unfolded: Show) -> None:
    for svg in unfolded(name, 380).query_selector_all("svg"):
        if svg.is_visible():
            assert len(svg.screenshot()) > 3000  # a blank one is a PNG of a few hundred bytes


def test_long_tables_are_folded(show: Show) -> None:
    page = show("rotated-it", 1000)
    assert page.evaluate("document.documentElement.scrollHeight") < 15_000
    rows = page.query_selector_all("tbody tr")
    assert len(rows) > 50
    assert sum(row.is_visible() for row in rows) < 60
    folded = page.query_selector(".chapter > details:has(table) summary")
    assert folded is not None
    folded.click()
    assert page.is_visible(".chapter > details[open] table")


def test_labels_have_room(show: Show) -> None:
    page = show("rotated-it", 1400)
    heights = page.evaluate(
        "[...document.querySelectorAll('tbody .name')].filter(each => each.checkVisibility())"
        ".map(each => each.getBoundingClientRect().height)"
    )
    assert len(heights) > 10
    assert max(heights) < 50  # two lines


def test_only_one_size_of_each_picture_is_shown(show: Show) -> None:
    for width, shown, hidden in ((380, "narrow", "wide"), (1400, "wide", "narrow")):
        page = show("run", width)
        assert page.is_visible(f".at-{shown}")
        assert not page.is_visible(f".at-{hidden}")


# --- accessible -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("games-es", 380, "light"), ("mixed-fr", 1400, "light"), ("mixed-fr", 1400, "dark")],
)
def test_accessible(name: str, width: int, scheme: str, show: Show) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = show(name, width, color_scheme=scheme, bypass_csp=True)
    page.evaluate(UNFOLD)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:120]) for each in found] == []


# --- tables ---------------------------------------------------------------------------------------

COLUMN = """([table, column]) => [...table.tBodies[0].rows].map(row => {
    const data = row.cells[column].querySelector("data");
    return data ? Number(data.value) : row.cells[column].textContent;
})"""


@pytest.mark.parametrize(("name", "column"), [("run", 1), ("tournament", 2), ("few-pt", 3)])
def test_tables_sort(name: str, column: int, show: Show) -> None:
    page = show(name)
    tables = [t for t in page.query_selector_all("table.sortable") if t.is_visible()]
    table = next(t for t in tables if len(t.query_selector_all("thead button")) > 5)
    before = page.evaluate(COLUMN, [table, column])
    heading = table.query_selector_all("thead th")[column]
    button = heading.query_selector("button")
    assert button is not None
    for order, reverse in (("ascending", False), ("descending", True)):
        button.click()
        assert heading.get_attribute("aria-sort") == order
        after = page.evaluate(COLUMN, [table, column])
        assert after == sorted(before, reverse=reverse)
    assert len(table.query_selector_all("[aria-sort]")) == 1


def test_sorts_by_keyboard(show: Show) -> None:
    page = show("tournament")
    buttons = page.query_selector_all("table.sortable thead button")
    next(button for button in buttons if button.is_visible()).focus()
    page.keyboard.press("Enter")
    assert page.query_selector("th[aria-sort]") is not None


def test_all_is_there_without_scripts(show: Show) -> None:
    page = show("run", java_script_enabled=False)
    assert page.query_selector("thead button") is None
    assert page.is_visible("figure svg")
    page.click("summary")
    assert page.is_visible("details table")


def test_numbers_unfold(show: Show) -> None:
    page = show("sweep", 380)
    assert not page.is_visible("figure details table")
    page.click("figure summary")
    assert page.is_visible("figure details table")


def test_study_can_be_saved(show: Show, tmp_path: Path) -> None:
    from sim.game.study import Study

    page = show("run", accept_downloads=True)
    page.evaluate(UNFOLD)
    with page.expect_download() as saving:
        page.click("a[download]")
    saving.value.save_as(tmp_path / "study.toml")
    assert saving.value.suggested_filename == "study.toml"
    assert Study.from_file(tmp_path / "study.toml").count == 2000


# --- on paper -------------------------------------------------------------------------------------

A4 = 673
"""CSS pixels between the margins of a page."""


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_on_paper(name: str, unfolded: Show) -> None:
    page = unfolded(name, A4)
    page.emulate_media(media="print")
    wide = page.evaluate(
        "most => [...document.querySelectorAll('table, svg, pre')].filter("
        "each => each.checkVisibility() && each.getBoundingClientRect().right > most"
        ").map(each => each.textContent.slice(0, 60))",
        A4 + 1,
    )
    assert wide == []


@pytest.mark.parametrize("name", ["few-pt", "mixed-fr"])
def test_prints(name: str, show: Show) -> None:
    content = show(name).pdf(format="A4", prefer_css_page_size=True)
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") + content.count(b"/Type /Page ") > 2
