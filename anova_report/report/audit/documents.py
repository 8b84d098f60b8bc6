"""Documents of the report on disk: versioned JSON that is read back strictly, and never executed."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from anova_report.core import files
from anova_report.errors import StorageError
from anova_report.figures.documents import plain, read

Record = TypeVar("Record")


@dataclass(frozen=True)
class Stamp:
    """What a file says it is: name of its schema, version, the thing in words, and who writes it."""

    schema: str
    version: int
    noun: str
    article: str
    writer: str

    def save(self, document: Any, path: str | os.PathLike[str]) -> Path:
        """Write a dataclass as JSON with this stamp."""
        written = {"schema": self.schema, "version": self.version} | plain(document)
        return files.write_text(path, json.dumps(written, ensure_ascii=False, allow_nan=False) + "\n")

    def load(self, path: str | os.PathLike[str], wanted: type[Record]) -> Record:
        """Read a dataclass that `save` wrote.

        Raises
        ------
        StorageError
            If the file holds something else, or was written by a newer version.
        """
        return read(self._body(Path(path)), wanted)

    def _body(self, path: Path) -> dict[str, Any]:
        cure = f"Pass a file that {self.writer} wrote."
        written = _content(path, cure)
        if not isinstance(written, dict) or written.get("schema") != self.schema:
            raise StorageError(f"{path} holds no {self.noun}. {cure}")
        version = written.get("version")
        if not isinstance(version, int) or version > self.version:
            what = f"{path} is {self.article} {self.noun} of version {version!r}"
            raise StorageError(f"{what}; this software reads up to {self.version}.")
        return {name: value for name, value in written.items() if name not in ("schema", "version")}


def schema_of(path: str | os.PathLike[str], cure: str) -> str:
    """Read what a document says it is; empty where it says nothing.

    Parameters
    ----------
    path : path
    cure : str
        A sentence on what to pass instead of a file that is not JSON.

    Raises
    ------
    StorageError
        If the file is not JSON.
    """
    written = _content(Path(path), cure)
    return str(written.get("schema", "")) if isinstance(written, dict) else ""


def _content(path: Path, cure: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StorageError(f"{path} is not JSON ({error}). {cure}") from error
