"""A model in a process of its own: a damaged file may end that process, never this one.

The child loads the model and does what it is asked, within limits of time and memory; parent and child hand each other
pickles by pipes, which only these two hold.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from anova_report.core.input.model_forms import about, askable
from anova_report.errors import AnovaReportError, ModelError
from anova_report.report.sources.models import METHODS, load_model

SECONDS = 3600  # that one question may take
ATTRIBUTES = ("classes_", "feature_names_in_", "n_features_in_")
# The path comes first: until it is there, nothing but the standard library must be found.
START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from anova_report.report.sources.child import serve; serve()"
)


class ChildModel:
    """A model that answers from another process; it has the methods and attributes of the one inside.

    Parameters
    ----------
    spec, trust, allow_pickle
        As `load_model` takes them.
    seconds : float
        How long one question may take.

    Raises
    ------
    InputError, ModelError
        As `load_model`, and if the process dies while it loads the model.
    """

    def __init__(
        self, spec: str, *, trust: Sequence[str] = (), allow_pickle: bool = False, seconds: float = SECONDS
    ) -> None:
        self._seconds = seconds
        command = [sys.executable, "-P", "-c", START]
        # Open pipes are all that is inherited.
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 our own words
        self._finalizer = weakref.finalize(self, _end, self._process)
        self._send([*sys.path])
        self._facts: dict[str, Any] = self._ask(spec, tuple(trust), allow_pickle)

    @property
    def name(self) -> str:
        """What the model is: the name of a function, or its class and library."""
        return str(self._facts["name"])

    @property
    def takes_arrays(self) -> bool:
        """Whether it was trained without names of columns, and scikit-learn warns where it is given some."""
        return bool(self._facts["takes_arrays"])

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._facts["attributes"]:
            return self._facts["attributes"][name]
        if not name.startswith("_") and name in self._facts["methods"]:
            return partial(self.do, _call, name)
        raise AttributeError(f"{self.name} has no {name}")

    def do(self, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Let the child do some work, a function of a module, with its model as the first argument."""
        return self._ask(work, arguments, named)

    def close(self) -> None:
        """End the child."""
        self._finalizer()

    def _send(self, message: Any) -> None:
        with contextlib.suppress(BrokenPipeError):  # a child that died is noticed when it is listened to
            pickle.dump(message, self._process.stdin, protocol=5)  # type: ignore[arg-type]  # there is a pipe
            self._process.stdin.flush()  # type: ignore[union-attr]  # likewise

    def _ask(self, *message: Any) -> Any:
        late = threading.Timer(self._seconds, self._process.kill)
        late.start()
        try:
            self._send(message)
            kind, found = pickle.load(self._process.stdout)  # type: ignore[arg-type]  # noqa: S301 from our own child
        except (EOFError, pickle.UnpicklingError, ConnectionError) as error:
            in_time = late.is_alive()
            raise ModelError(self._last_words(in_time)) from error
        finally:
            late.cancel()
        if kind == "result":
            return found
        if kind == "ours":
            raise found
        name, words = found
        raise type(name, (Exception,), {})(words)

    def _last_words(self, in_time: bool) -> str:
        code = self._process.wait()
        if not in_time:
            return f"The model did not reply within {self._seconds:g} seconds, and was stopped."
        if code < 0:
            return (
                f"The model's process died ({signal.Signals(-code).name}). Its file may be damaged, or it needs more "
                "memory than there is. Save the model again."
            )
        return f"The model's process ended by itself (exit code {code}). A model must return predictions, and not exit."


def serve() -> None:
    """Load a model, and do what the parent asks for until it is gone."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the model prints is no reply
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets the signal, too, and ends both
    _limit_memory()
    spec, trust, allow_pickle = pickle.load(sys.stdin.buffer)  # noqa: S301 from our own parent
    model: Any = None

    def work(do: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        try:
            reply = ("result", do(*arguments, **named))
            written = pickle.dumps(reply, protocol=5)
        except AnovaReportError as error:
            written = pickle.dumps(("ours", error))
        except (Exception, SystemExit) as error:
            written = pickle.dumps(("error", (type(error).__name__, str(error))))
        replies.write(written)
        replies.flush()

    def load() -> dict[str, Any]:
        nonlocal model
        model = load_model(spec, trust=trust, allow_pickle=allow_pickle)
        return _facts(model)

    work(load)
    while True:
        try:
            do, arguments, named = pickle.load(sys.stdin.buffer)  # noqa: S301 from our own parent
        except EOFError:
            return
        work(do, model, *arguments, **named)


def _facts(model: Any) -> dict[str, Any]:
    asked = askable(model)
    methods = tuple(name for name in METHODS if callable(getattr(asked, name, None)))
    return {
        "name": about(getattr(model, "inside", model)),
        "methods": methods or ("predict",),  # a function predicts
        "attributes": {name: getattr(asked, name) for name in ATTRIBUTES if hasattr(asked, name)},
        "takes_arrays": isinstance(model, BaseEstimator) and not hasattr(model, "feature_names_in_"),
    }


def _call(model: Any, name: str, rows: Any) -> Any:
    asked = askable(model)
    return getattr(asked, name, asked)(rows)


def _limit_memory() -> None:
    """Allow as much memory as the machine has: a model that asks for more is refused before others are ended for it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 not on Windows

        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        resource.setrlimit(resource.RLIMIT_DATA, (there, there))


def _end(process: "subprocess.Popen[bytes]") -> None:
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            pipe.close()  # type: ignore[union-attr]  # there are pipes
    process.kill()
    process.wait()
