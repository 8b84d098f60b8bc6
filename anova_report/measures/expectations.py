"""What a model is expected to do, in words: "income: increasing", "score × age: no interaction".

A small grammar: a feature, or several with × between them, a colon, and one of the forms in `FORMS`. An error names the
word that was not understood and what may stand in its place.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, isfinite, log
from typing import Literal, NoReturn, TypeAlias

from anova_report.errors import InputError, listing

Form: TypeAlias = Literal[
    "increasing", "decreasing", "convex", "concave", "no effect", "no interaction", "share", "between"
]

FORMS = (
    "increasing",
    "decreasing",
    "convex",
    "concave",
    "no effect",
    "no effect above 0.5 points",
    "no interaction",
    "no interaction above 0.5",
    "share < 1%",
    "share > 10%",
    "between -1 and 2",
    "between -1 and 2 for 20000..40000",
    "no effect above × 1.1",
    "between × 0.8 and × 1.5",
)
SHAPES = ("increasing", "decreasing", "convex", "concave")
MOST = 99  # AR101 to AR199
FIRST = (*SHAPES, "no", "share", "between")
BELOW, ABOVE = ("<", "<=", "≤", "below"), (">", ">=", "≥", "above")
UNITS = ("points", "point", "units", "unit")
OPPOSITE = {"increasing": "decreasing", "decreasing": "increasing"}  # what is convex and concave is a line
TOKEN = re.compile(r"<=|>=|[<>≤≥]|[^\s<>≤≥]+")


@dataclass(frozen=True)
class Expectation:
    """One thing that is expected of a model.

    Parameters
    ----------
    text : str
        As it was written, with single blanks.
    subject : str
        The feature, or several with × between them.
    form : str
    low, high : float
        What must not be left: a share, an effect, or the range of an effect; infinite where there is no bound.
    of_variance : bool
        Whether the bounds are shares of the variance of the predictions, rather than predictions.
    span : pair of str, or None
        First and last value of the feature to look at; None for all.
    of_factors : bool
        Whether the bounds are logarithms, written as factors: "× 1.1".
    """

    text: str
    subject: str
    form: Form
    low: float = -inf
    high: float = inf
    of_variance: bool = False
    span: tuple[str, str] | None = None
    of_factors: bool = False

    def titled(self, names: Sequence[str], titles: Sequence[str]) -> str:
        """Write it with what readers see for the names of features.

        Examples
        --------
        >>> read_expectation("MedInc × Pop: no interaction").titled(["MedInc", "Pop"], ["Median income", "Pop"])
        'Median income × Pop: no interaction'
        """
        shown = dict(zip(names, titles, strict=True))
        subject = " × ".join(shown.get(part, part) for part in self.parts(names))
        return subject + self.text.removeprefix(self.subject)

    def parts(self, names: Sequence[str]) -> list[str]:
        """Split the subject into names, unless it is one."""
        return [self.subject] if self.subject in names else re.split(r"\s*[×*]\s*|\s+x\s+", self.subject)

    def features(self, names: Sequence[str]) -> tuple[int, ...]:
        """Find the features it is about among the names of all.

        Raises
        ------
        InputError
            If there is no such feature, or the form takes another number of them.
        """
        parts = self.parts(names)
        unknown = next((part for part in parts if part not in names), None)
        if unknown is not None:
            near = difflib.get_close_matches(unknown, names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(list(names), limit=12)}."
            raise InputError(f"The expectation {self.text!r} names {unknown!r}, which is no feature. {hint}")
        found = tuple(sorted({names.index(part) for part in parts}))
        if len(found) < len(parts):
            raise InputError(f"The expectation {self.text!r} names a feature twice. Name different ones.")
        if len(found) > 1 and self.form not in ("no interaction", "share"):
            raise InputError(
                f"The expectation {self.text!r}: {self.form!r} is said of one feature; of several, say 'no "
                "interaction' or 'share'."
            )
        return found


def read_expectations(texts: Iterable[str]) -> tuple[Expectation, ...]:
    """Read expectations, and refuse two that cannot hold together.

    Examples
    --------
    >>> [one.form for one in read_expectations(["income: increasing", "sex: no effect above 0.5 points"])]
    ['increasing', 'no effect']
    """
    if isinstance(texts, str):
        raise InputError(f"Expectations are a list of texts; got one text. Write [{texts!r}].")
    found = tuple(read_expectation(text) for text in texts)
    if len(found) > MOST:
        raise InputError(f"There are {len(found)} expectations, and at most {MOST} have codes. Leave some out.")
    for first, second in combinations(found, 2):
        if first.text == second.text:
            raise InputError(f"The expectation {first.text!r} stands there twice. Leave one out.")
        if first.subject == second.subject and _contradict(first, second):
            raise InputError(
                f"The expectations {first.text!r} and {second.text!r} contradict each other. Leave one out."
            )
    return found


def check_columns(expectations: Sequence[Expectation], columns: Sequence[str]) -> None:
    """Refuse expectations of what is no column of a table, nor the beginning of one: columns may be folded into one."""
    named = {part for one in expectations for part in one.parts(columns)}
    folded = {part for part in named if part and any(column.startswith(part) for column in columns)}
    names = [*columns, *sorted(folded - set(columns))]
    for one in expectations:
        one.features(names)


def read_expectation(text: object) -> Expectation:
    """Read one expectation.

    Raises
    ------
    InputError
        That points at the word that is not understood, and says which are known.

    Examples
    --------
    >>> read_expectation("income: between -1 and 2 for 20000..40000").span
    ('20000', '40000')
    """
    if not isinstance(text, str):
        raise InputError(f"An expectation is a text such as 'income: increasing'; got {text!r}.")
    plain = " ".join(text.split())
    subject, colon, words = plain.rpartition(": ") if ": " in plain else plain.partition(":")
    if not colon or not subject.strip() or not words.strip():
        raise InputError(
            f"The expectation {plain!r} is not a feature, a colon and what is expected. Write 'income: increasing'."
        )
    return _Reader(plain, words).read(subject.strip())


def _contradict(first: Expectation, second: Expectation) -> bool:
    """Whether two expectations of the same features cannot both hold, or only where nothing happens at all."""
    if OPPOSITE.get(first.form) == second.form:
        return first.span == second.span
    if first.form == second.form and first.form in ("share", "between") and first.span == second.span:
        return max(first.low, second.low) > min(first.high, second.high)
    # What has at most some share of the variance cannot have more of it.
    none, share = sorted((first, second), key=lambda one: one.form)
    return none.form == "no effect" and share.form == "share" and share.low >= (none.high if none.of_variance else 0)


class _Reader:
    """Reads the words of an expectation one by one."""

    def __init__(self, text: str, words: str) -> None:
        plain = re.sub(r"\s*\.\.\s*", "..", words)
        self.text, self.rest = text, TOKEN.findall(re.sub(r"×\s*(?=\S)", "×", plain))
        self.factors: set[bool] = set()  # whether bounds are written as factors

    def read(self, subject: str) -> Expectation:
        """Read all words."""
        match self.take(*FIRST):
            case "no":
                form: Form = "no effect" if self.take("effect", "interaction") == "effect" else "no interaction"
                bound, of_variance = (inf, False) if not self.rest else self.threshold()
                made = Expectation(self.text, subject, form, high=bound, of_variance=of_variance)
            case "share":
                below = self.take(*BELOW, *ABOVE) in BELOW
                bound = self.share()
                low, high = (-inf, bound) if below else (bound, inf)
                made = Expectation(self.text, subject, "share", low, high, of_variance=True)
            case "between":
                low = self.effect()
                self.take("and")
                high = self.effect()
                if len(self.factors) > 1:
                    raise InputError(f"The expectation {self.text!r}: write both bounds as factors (×), or none.")
                if low >= high:
                    raise InputError(f"The expectation {self.text!r}: the first bound must lie below the second.")
                made = Expectation(self.text, subject, "between", low, high, span=self.span())
            case shape:
                made = Expectation(self.text, subject, shape, span=self.span())  # type: ignore[arg-type]  # a shape
        if self.rest:
            self.refuse(self.rest[0], "nothing more")
        return replace(made, of_factors=True in self.factors)

    def take(self, *known: str) -> str:
        """Take the next word, which must be one of these."""
        word = self.rest.pop(0) if self.rest else ""
        if word.lower() not in known:
            near = difflib.get_close_matches(word.lower(), known, n=1)
            self.refuse(word, f"{near[0]!r}" if near else " or ".join(map(repr, known)))
        return word.lower()

    def threshold(self) -> tuple[float, bool]:
        """Take "above 0.5", with a unit or a sign of percent."""
        self.take("above")
        if self.rest and self.rest[0].endswith("%"):
            return self.share(), True
        bound = self.effect()
        if bound <= 0:
            none = "× 1" if True in self.factors else "0"
            raise InputError(f"The expectation {self.text!r}: what an effect may be at most must be more than {none}.")
        if self.rest:
            self.take(*UNITS)
        return bound, False

    def share(self) -> float:
        """Take a share of the variance in percent."""
        word = self.rest.pop(0) if self.rest else ""
        if not word.endswith("%"):
            self.refuse(word, "a share of the variance such as '1%'")
        self.rest.insert(0, word.removesuffix("%"))
        bound = self.number() / 100
        if not 0 < bound < 1:
            raise InputError(f"The expectation {self.text!r}: a share lies between 0% and 100%; got {word}.")
        return bound

    def effect(self) -> float:
        """Take an effect: a number, or a factor such as × 1.1, whose logarithm counts."""
        self.factors.add(bool(self.rest) and self.rest[0].startswith("×"))
        if not (self.rest and self.rest[0].startswith("×")):
            return self.number()
        word, self.rest[0] = self.rest[0], self.rest[0].removeprefix("×") or "×"
        found = self.number()
        if found <= 0:
            self.refuse(word, "a factor above 0")
        return log(found)

    def number(self) -> float:
        """Take a number."""
        word = self.rest.pop(0) if self.rest else ""
        try:
            found = float(word.replace("−", "-"))
        except ValueError:
            found = inf
        if not isfinite(found):
            self.refuse(word, "a number")
        return found

    def span(self) -> tuple[str, str] | None:
        """Take "for 20000..40000", if it is there."""
        if not self.rest:
            return None
        self.take("for")
        word = self.rest.pop(0) if self.rest else ""
        first, dots, last = word.partition("..")
        if not (first and dots and last):
            self.refuse(word, "two values such as '20000..40000'")
        return first, last

    def refuse(self, word: str, wanted: str) -> NoReturn:
        """Say which word is not understood."""
        got = f"got {word!r}" if word else "it ends"
        forms = ", ".join(repr(form) for form in FORMS)
        raise InputError(f"The expectation {self.text!r}: {got} where {wanted} is expected. Known are {forms}.")
