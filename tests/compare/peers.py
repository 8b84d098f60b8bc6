"""Libraries that other explanations need; tests of them are skipped, with the reason, where they are missing."""

from importlib.util import find_spec

import pytest

from anova_report.core.libraries import EXTRAS


def needs(*names: str) -> pytest.MarkDecorator:
    missing = [name for name in names if find_spec(name) is None]
    cures = ", ".join(f"pip install 'anova_report[{EXTRAS[name]}]'" for name in missing)
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)} ({cures})")
