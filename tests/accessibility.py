"""axe-core on a page: what would stop people who use a keyboard, a screen reader, or eyes that need contrast."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.browser import require

# Where axe is sure it says "violations"; what a person has to decide is in lists of its own.
RUN = """async within => {
    const {violations} = await axe.run(within ?? document, {resultTypes: ["violations"]});
    return violations.flatMap(({id, impact, help, nodes}) => nodes.map(({html, target, failureSummary}) =>
        [`${id} (${impact}): ${help}`, target, html.slice(0, 300), failureSummary].join("\\n")));
}"""


@cache
def _axe() -> str:
    found = find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        require("There is no axe-core: pip install 'anova_report[test]'.")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Any, within: str | None = None) -> list[str]:
    """List what axe finds wrong on a page, or within what a selector finds there.

    The browser runs it from outside of the page, whose policy would not let it in.
    """
    page.evaluate(_axe())
    found: list[str] = page.evaluate(RUN, within)
    return found
