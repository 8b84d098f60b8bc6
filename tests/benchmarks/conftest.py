"""Small models on one thread: among other busy processes several threads would wait for each other."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from threadpoolctl import threadpool_limits

with suppress(ModuleNotFoundError):
    import xgboost  # noqa: F401 its threads can be limited only once it is loaded


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(limits=1, user_api="openmp"):
        yield
