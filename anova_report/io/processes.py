"""Processes of others that this one starts, and ends together with all that they start."""

import contextlib
import os
import signal
import subprocess
from typing import Any


def end_group(process: "subprocess.Popen[Any]") -> None:
    """End a process that was started in a session of its own, and all that it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # there is nobody any more, or only the dead
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
