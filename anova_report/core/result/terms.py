"""A term is the sorted tuple of the columns a component depends on; the mean is the empty term.

A module of its own because terms are the identity of components in every room.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

Term = tuple[int, ...]

TIMES = " × "
LONGEST_NAME = 200  # characters: longer ones are no name, and no page has room for them
CARRIES = 0.01  # of the variance: from this share on, the paper's, a term is counted, drawn and asked whether it leaks


def terms_up_to(n_features: int, max_order: int) -> tuple[Term, ...]:
    """List all terms of 1 to `max_order` features, sorted by order, then by index.

    Examples
    --------
    >>> terms_up_to(3, 2)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    """
    orders = range(1, min(max_order, n_features) + 1)
    return tuple(term for order in orders for term in combinations(range(n_features), order))


def sort_terms(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Sort terms by order, then by index.

    Examples
    --------
    >>> sort_terms([(0, 2), (1,), (0, 1)])
    ((1,), (0, 1), (0, 2))
    """
    return tuple(sorted(terms, key=lambda term: (len(term), term)))


def subterms(term: Term) -> Iterator[Term]:
    """Yield every proper subset of a term, the empty one first.

    Examples
    --------
    >>> list(subterms((0, 3)))
    [(), (0,), (3,)]
    """
    for order in range(len(term)):
        yield from combinations(term, order)


def label(term: Term, names: tuple[str, ...]) -> str:
    """Write a term with the names of its features.

    Examples
    --------
    >>> label((0, 2), ("age", "sex", "income"))
    'age × income'
    >>> label((), ("age",))
    'mean'
    """
    return TIMES.join(shortened(names[index]) for index in term) or "mean"


def shortened(name: str) -> str:
    """Cut a name that is longer than anybody reads; pages state it once in full.

    Examples
    --------
    >>> len(shortened("a" * 1_000_000)), shortened("age")
    (200, 'age')
    """
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
