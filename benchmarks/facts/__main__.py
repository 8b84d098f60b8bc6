"""Whether every fact of many pages is true of the rows, and whether planted errors are found.

Run with `python -m benchmarks.facts [--only NAME …] [--planted 200]`. Prints what is false, page by page, then how many
claims of how many kinds were checked, and how many of the errors planted in true pages were found. The exit code is 1
where a claim is false or an error is not found.
"""

import argparse
import sys
import warnings
from collections import Counter

import numpy as np

from benchmarks.facts.check_page import judge
from benchmarks.facts.comparisons import PAIRINGS, make_two
from benchmarks.facts.corpus import CASES, Case
from benchmarks.facts.making import make
from benchmarks.facts.planting import missed


def main() -> int:
    """Make the pages, check them, plant errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of pages")
    parser.add_argument("--planted", type=int, default=60, help="errors planted in each page")
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")  # models of the corpus need not converge
    kinds, n_checks, n_false, n_planted, n_missed, n_pages = Counter[str](), 0, 0, 0, 0, 0
    for number, case in enumerate((*CASES, *PAIRINGS)):
        if chosen.only and not any(part in case.name for part in chosen.only):
            continue
        page = make(case) if isinstance(case, Case) else make_two(case)
        judged = list(judge(page))
        wrong = [(claim, check) for claim in judged for check in claim.wrong]
        for claim, check in wrong:
            print(f"  FALSE {claim.kind} at {claim.where}: {check.what}: said {check.said}, true {check.true}")
        unseen = missed(page, chosen.planted, np.random.default_rng(number))
        for error in unseen:
            print(f"  MISSED {error}")
        kinds.update(claim.kind for claim in judged)
        n_pages, n_false, n_missed = n_pages + 1, n_false + len(wrong), n_missed + len(unseen)
        n_checks, n_planted = n_checks + sum(len(claim.checks) for claim in judged), n_planted + chosen.planted
        print(f"{case.name}: {len(judged):,} claims, {len(wrong)} false", flush=True)
    print(f"{n_pages} pages, {kinds.total():,} claims of {len(kinds)} kinds, {n_checks:,} comparisons, {n_false} false")
    print(f"{n_planted - n_missed} of {n_planted} planted errors found")
    return int(bool(n_false or n_missed))


if __name__ == "__main__":
    sys.exit(main())
