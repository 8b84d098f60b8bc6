"""What the benchmarks share: judging an explanation on rows it has not seen, and running in a process of its own."""

import contextlib
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Term = tuple[int, ...]

MIN_SHARE = 0.01  # MaxCorr of the paper looks at terms with at least 1% of the variance
VISIBLE = 0.05  # a smaller cosine is of no consequence
NOISE_SDS = 3.0  # a cosine within so many standard deviations of zero may be zero
MEGABYTE = 2**20
GIGABYTE = 2**30
LONGEST_REASON = 160  # characters: a reason is part of a line


@dataclass(frozen=True)
class Cosine:
    """How far a component is from being orthogonal to a part of it, on rows of the judge's choice.

    Parameters
    ----------
    term, part : Term
        S and T ⊊ S, T not empty.
    value : float
        E[ν_S ν_T] / sqrt(E[ν_S²] E[ν_T²]).
    sd : float
        Standard deviation of `value` over samples of this size if the true cosine is zero.
    """

    term: Term
    part: Term
    value: float
    sd: float

    @property
    def above(self) -> bool:
        """Whether it is both of consequence and more than noise."""
        return abs(self.value) > max(VISIBLE, NOISE_SDS * self.sd)


@dataclass(frozen=True)
class Orthogonality:
    """Summary of the cosines of one explanation.

    Parameters
    ----------
    worst : Cosine or None
        The largest in absolute value, MaxCorr; None where no term with a known part carries 1% of the variance.
    n_above, n_cosines : int
        How many are above the noise, of how many.
    """

    worst: Cosine | None
    n_above: int
    n_cosines: int


def r_squared(predictions: Floats, predicted: Floats) -> float:
    """R² on these rows: 1 minus the mean squared gap over the variance of the predictions.

    Examples
    --------
    >>> r_squared(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 2.0]))
    0.8
    """
    return float(1 - np.mean((predictions - predicted) ** 2) / np.var(predictions))


def cosine(term: Term, part: Term, upper: Floats, lower: Floats) -> Cosine:
    """Measure one cosine from the values of ν_S and ν_T, each of shape (n_rows,); with an empty component it is 0."""
    size = float(np.mean(upper**2) * np.mean(lower**2))
    if size == 0:
        return Cosine(term, part, 0.0, 0.0)
    fourth = float(np.mean(upper**2 * lower**2))
    return Cosine(term, part, float(np.mean(upper * lower)) / size**0.5, (fourth / (len(upper) * size)) ** 0.5)


def judge_orthogonality(terms: Sequence[Term], components: Floats, predictions: Floats) -> Orthogonality:
    """Measure every cosine of the terms that carry at least 1% of the variance of the predictions.

    Parameters
    ----------
    terms : sequence of Term
    components : array of shape (n_rows, n_terms)
    predictions : array of shape (n_rows,)
    """
    least = MIN_SHARE * float(np.var(predictions))
    position = {tuple(sorted(term)): index for index, term in enumerate(terms)}
    cosines = [
        cosine(term, part, components[:, at], components[:, below])
        for term, at in position.items()
        if len(term) > 1 and np.var(components[:, at]) >= least
        for part, below in position.items()
        if set(part) < set(term)
    ]
    worst = max(cosines, key=lambda each: abs(each.value), default=None)
    return Orthogonality(worst, sum(each.above for each in cosines), len(cosines))


@dataclass(frozen=True)
class Outcome:
    """The outcome of a process: a value, or the reason why there is none.

    Parameters
    ----------
    value : object
        What the function returned.
    reason : str or None
        Why it did not return.
    peak_mb : float or None
        Most memory the process held at any time, imports and data included.
    """

    value: Any = None
    reason: str | None = None
    peak_mb: float | None = None


def in_own_process(
    function: Callable[..., Any], *arguments: object, limit: float, memory_gb: float | None = None
) -> Outcome:
    """Run a function in a fresh process, so that its memory, its crash and its end are its own.

    Parameters
    ----------
    function : callable
        At the top level of an importable module, as are the types of its arguments and result.
    *arguments : object
    limit : float
        Seconds, start of the process included, after which it is ended.
    memory_gb : float, optional
        Address space it may ask for; beyond it gets a MemoryError instead of taking the machine down.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(there, memory_gb, function, arguments))
    process.start()
    there.close()  # else the end of the process would not end the pipe
    try:
        if not here.poll(limit):
            _kill(process)
            return Outcome(reason=f"no result within {limit:g} s")
        outcome: Outcome = here.recv()
    except EOFError:
        process.join()
        return Outcome(reason=_cause_of_death(process.exitcode))
    else:
        return outcome
    finally:
        here.close()
        _end(process)


def peak_megabytes() -> float:
    """Return the most memory this process has held since it began, or the largest of its finished children."""
    return max(_own_peak(), _rusage_megabytes(resource.RUSAGE_CHILDREN))


def _own_peak() -> float:
    # On Linux ru_maxrss survives exec, so a child of a fat parent would show the parent's peak; VmHWM begins anew.
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii", errors="replace").splitlines() if status.exists() else []
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return kilobytes[0] * 1024 / MEGABYTE if kilobytes else _rusage_megabytes(resource.RUSAGE_SELF)


def _rusage_megabytes(who: int) -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit / MEGABYTE


def _report(
    there: Connection, memory_gb: float | None, function: Callable[..., Any], arguments: tuple[object, ...]
) -> None:
    """Run in the new process: call the function and send its outcome."""
    os.setsid()  # a group of its own, so that workers it starts can be ended with it
    if memory_gb is not None:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory_gb * GIGABYTE),) * 2)
    there.send(_outcome(function, arguments))


def _outcome(function: Callable[..., Any], arguments: tuple[object, ...]) -> Outcome:
    """Call a function that may fail in any way; whoever waits for it goes on."""
    try:
        value = function(*arguments)
    except ModuleNotFoundError as error:
        return Outcome(reason=f"not installed: {error.name}")
    except MemoryError:
        return Outcome(reason="out of memory")
    except Exception as error:
        text = " ".join(str(error).split())[:LONGEST_REASON]
        return Outcome(reason=f"{type(error).__name__}: {text}")
    return Outcome(value=value, peak_mb=peak_megabytes())


def _cause_of_death(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"the process was ended by {signal.Signals(-exitcode).name}"
    return f"the process ended without a result (exit code {exitcode})"


def _end(process: BaseProcess) -> None:
    """Wait for a process to end by itself, which after its result is a matter of moments, else end it."""
    process.join(timeout=5)
    if process.is_alive():
        _kill(process)


def _kill(process: BaseProcess) -> None:
    """End a process and the workers it started."""
    if process.pid is not None:
        with contextlib.suppress(ProcessLookupError):  # it may not have come as far as a group of its own
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
