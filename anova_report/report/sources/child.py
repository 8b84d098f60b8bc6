"""A model in a process of its own: a damaged file may end that process, never this one.

The child loads the model and does what it is asked, within limits of time and memory; parent and child hand each other
pickles by pipes, which only these two hold. It reads nothing but these, what it prints is handed on as text, and what
it started ends with it.
"""

import codecs
import contextlib
import os
import pickle
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from sklearn.base import BaseEstimator

from anova_report.core.input.model_forms import about, askable, has_log_link
from anova_report.errors import AnovaReportError, InputError, ModelError
from anova_report.io import files
from anova_report.io.processes import end_group
from anova_report.io.terminal import tell
from anova_report.report.sources.models import METHODS, load_model, names_file

SECONDS = 3600  # that one question may take unless another limit is given
LOOK = 0.2  # seconds between two looks whether a child that has not replied is still there
LAST_WORDS = 2.0  # seconds for what a child that has ended wrote before
LONGEST_LINE = 8192  # letters that are printed at once, whether or not a line has ended
ATTRIBUTES = ("classes_", "feature_names_in_", "n_features_in_")
# The path comes first: until it is there, nothing but the standard library must be found. A model finds nothing to read
# where a program reads what is typed.
START = (
    "import os, pickle, sys; asked = os.fdopen(os.dup(0), 'rb'); os.dup2(os.open(os.devnull, os.O_RDONLY), 0); "
    "sys.path[:] = pickle.load(asked); from anova_report.report.sources.child import serve; serve(asked)"
)


class ChildModel:
    """A model that answers from another process; it has the methods and attributes of the one inside.

    A copy that is sent to another process, as to a worker of a cluster, starts a child of its own when it is asked.

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
        self._spec, self._how, self._seconds = spec, (tuple(trust), allow_pickle), seconds
        self._child: _Child | None = None
        self._lock = threading.Lock()
        self._digest = _digest(spec)
        self._facts: dict[str, Any] = self._start()

    def __getstate__(self) -> dict[str, Any]:
        spec = os.path.abspath(self._spec) if names_file(self._spec) else self._spec  # noqa: PTH100 a text, as given
        return self.__dict__ | {"_child": None, "_lock": None, "_spec": spec}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"_lock": threading.Lock()})

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
        raise AttributeError(f"The model has no {name}")

    def do(self, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Let the child do some work, a function of a module, with its model as the first argument."""
        with self._lock:
            if self._child is None:
                if _digest(self._spec) != self._digest:
                    raise InputError(f"{self._spec} has changed since the run began. Run it again.")
                self._start()
            return self._child.ask((work, arguments, named), self._seconds)  # type: ignore[union-attr]  # started

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.end()

    def _start(self) -> Any:
        self._child = _Child()
        try:
            return self._child.ask((self._spec, *self._how), self._seconds)
        except AnovaReportError:
            raise
        except Exception as error:
            raise ModelError(f"{self._spec} cannot be loaded: {type(error).__name__}: {error}") from error


def _digest(spec: str) -> str:
    """Digest the file of a model; empty for what is no file, which is refused where it is loaded."""
    return files.digest(Path(spec)) if names_file(spec) and Path(spec).is_file() else ""


class _Child:
    """A process that does what it is asked, one thing after the other, in a group with all that it starts."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-c", START]
        pipe = subprocess.PIPE
        # A session of its own: no terminal to read from. Open pipes are all that is inherited.
        made = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)  # noqa: S603 our own words
        self._process, self._replies = made, queue.SimpleQueue[Any]()
        listening = threading.Thread(target=_listen, args=(made.stdout, self._replies), daemon=True)
        printing = threading.Thread(target=_pass_on, args=(made.stderr,), daemon=True)
        listening.start()
        printing.start()
        self.end = weakref.finalize(self, _end, made, printing)
        self._send([*sys.path])

    def ask(self, message: Any, seconds: float) -> Any:
        """Send a message and wait for the reply: the child is waited for, not the pipe, which others may hold open."""
        late = threading.Timer(seconds, end_group, [self._process])
        late.start()
        try:
            self._send(message)
            reply = self._reply()
            in_time = late.is_alive()
        finally:
            late.cancel()
        if reply is None:
            raise ModelError(self._last_words(in_time, seconds))
        kind, found = reply
        if kind == "result":
            return found
        if kind == "ours":
            raise found
        name, words = found
        raise type(name, (Exception,), {})(words)

    def _send(self, message: Any) -> None:
        with contextlib.suppress(BrokenPipeError):  # a child that died is noticed when it is listened to
            pickle.dump(message, self._process.stdin, protocol=5)  # type: ignore[arg-type]  # there is a pipe
            self._process.stdin.flush()  # type: ignore[union-attr]  # likewise

    def _reply(self) -> Any:
        """Wait for a reply; None if the child has ended without one."""
        while True:
            ended = self._process.poll() is not None
            try:
                return self._replies.get(timeout=LAST_WORDS if ended else LOOK)
            except queue.Empty:
                if ended:
                    return None

    def _last_words(self, in_time: bool, seconds: float) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS)
        end_group(self._process)  # what it started, and itself if it only closed its pipe
        code = self._process.wait()
        if not in_time:
            return (
                f"The model did not reply within {seconds:g} seconds, and was stopped. If it needs longer, allow more: "
                "--model-timeout."
            )
        if code < 0:
            return (
                f"The model's process died ({signal.Signals(-code).name}). Its file may be damaged, or it needs more "
                "memory than there is. Save the model again."
            )
        return f"The model's process ended by itself (exit code {code}). A model must return predictions, and not exit."


def _listen(pipe: IO[bytes], replies: "queue.SimpleQueue[Any]") -> None:
    """Take in replies until there are no more; then None."""
    with pipe, contextlib.suppress(Exception):  # whatever ends the replies, there is none any more
        while True:
            replies.put(pickle.load(pipe))  # noqa: S301 from our own child
    replies.put(None)


def _pass_on(said: IO[bytes]) -> None:
    """Print what a model says as text, line by line, or as often as a bar is drawn anew."""
    decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
    with said:
        while piece := said.read1(LONGEST_LINE):  # type: ignore[attr-defined]  # a buffered reader
            *lines, rest = re.split(r"(?<=[\r\n])", rest + decoder.decode(piece))
            if len(rest) > LONGEST_LINE:
                lines, rest = [*lines, rest], ""
            for line in lines:
                tell(line.rstrip("\r\n"), end=line[-1] if line[-1] in "\r\n" else "")
    if rest:
        tell(rest)


def _end(process: "subprocess.Popen[bytes]", printing: threading.Thread) -> None:
    with contextlib.suppress(OSError):
        process.stdin.close()  # type: ignore[union-attr]  # there is a pipe
    end_group(process)
    process.wait()
    printing.join(LAST_WORDS)


def serve(asked: IO[bytes]) -> None:
    """Load a model, and do what the parent asks for until it is gone."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the model prints is no reply
    if os.name == "posix":  # nor has a copy of this process anything to say
        os.register_at_fork(after_in_child=partial(os.close, asked.fileno()))
        os.register_at_fork(after_in_child=partial(os.close, replies.fileno()))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets the signal, too, and ends both
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _limit_memory()
    spec, trust, allow_pickle = pickle.load(asked)  # noqa: S301 from our own parent
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
            do, arguments, named = pickle.load(asked)  # noqa: S301 from our own parent
        except EOFError:
            return
        work(do, model, *arguments, **named)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, whatever it is doing; `os.getppid` then names another."""
    while os.getppid() == parent:
        time.sleep(1)
    if os.name == "posix":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _facts(model: Any) -> dict[str, Any]:
    asked = askable(model)
    methods = tuple(name for name in METHODS if callable(getattr(asked, name, None)))
    return {
        "name": about(getattr(model, "inside", model)),
        "methods": methods or ("predict",),  # a function predicts
        "attributes": {name: getattr(asked, name) for name in ATTRIBUTES if hasattr(asked, name)}
        | {"objective_": "poisson" if has_log_link(model) else ""},
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
