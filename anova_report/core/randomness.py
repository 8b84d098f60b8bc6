"""Random numbers: every use draws from a stream of its own, which nothing else draws from.

`default_rng(seed)` and `default_rng([seed, 0])` are the same stream. Whoever makes a table with the seed that later
decides which rows are held out would get rows that are held out because of their values. So seed, name and numbers of a
stream are hashed together: neither another use nor the user, whatever the seed, draws the same numbers.
"""

from hashlib import blake2b
from typing import Any

import numpy as np

from anova_report.errors import InputError

SEEDS = 2**31  # as many as the generators of other libraries take


def stream(seed: int, name: str, *numbers: int) -> np.random.Generator:
    """Return the generator of one use of randomness.

    The user decides on the seed; `name` says what the numbers are for, and `numbers` which of several such uses it is:
    that of which row block, say.

    Examples
    --------
    >>> stream(0, "groups", 3).integers(10, size=4).tolist() == stream(0, "groups", 3).integers(10, size=4).tolist()
    True
    """
    # repr of a tuple cannot be read in two ways: names are quoted, and numbers have commas between them.
    key = repr((name, int(seed), *map(int, numbers))).encode()
    entropy = blake2b(key, digest_size=16).digest()  # as much as a generator takes in: no two uses meet
    return np.random.default_rng(int.from_bytes(entropy, "little"))


def seed_for(seed: int, name: str) -> int:
    """Return the seed to hand to another library, which makes its generator itself."""
    return int(stream(seed, name).integers(SEEDS))


def draw_seed(random_state: Any) -> int:
    """Draw the one number everything random in a fit depends on; the decomposition remembers it."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(SEEDS))
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(SEEDS))
    raise InputError(
        f"random_state must be a whole number of at least 0, a numpy Generator or None; got {random_state!r}."
    )
