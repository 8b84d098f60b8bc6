"""The README and the pages of the site as their reader finds them: blocks of code, commands, links."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs"
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of code in one language; what stands in `py` blocks needs more than a test has."""
    return [lines for found, lines in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def commands(page: Path, program: str = "anova-report") -> list[list[str]]:
    """Return the commands of a page, each as its words after the program."""
    lines = "".join(blocks(page, "")).splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith(f"{program} ")]
