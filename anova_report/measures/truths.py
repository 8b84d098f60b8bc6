"""The truth of an output: what a target column is the truth of, and on which rows predictions are held against it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError, listing
from anova_report.measures.kept_aside import Held, KeptAside, Mask
from anova_report.measures.linear_model import Task

HELD_OUT, TRAINED, EVERY = "held-out rows", "training rows", "all rows"
PLAIN = ("numeric", "boolean")
FOR_TEXT = "; text fits a model that predicts probabilities, of the classes that it names"
RESPONSE: Mapping[str, Callable[[Floats], Floats]] = {"logit": expit, "log": np.exp}  # from scales to that of the truth


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth, predictions on its scale, and the rows on which they are compared.

    Of several classes y holds positions and the predictions have a column for each. It is NaN where the truth is not
    known: such rows are on no side.
    """

    task: Task
    target: str
    output: int | None  # None for all
    y: Floats
    predicted: Floats
    aside: KeptAside

    @property
    def known(self) -> Mask:
        """The rows of which the truth is known."""
        return ~np.isnan(self.y)

    @property
    def sides(self) -> dict[str, Mask]:
        """The rows that are judged, the held-out ones first."""
        held_out = self.aside.held_out
        if held_out is None:
            return {EVERY: self.known}
        return {HELD_OUT: held_out & self.known, TRAINED: ~held_out & self.known}

    @property
    def judged(self) -> Mask:
        """The rows that decide: held-out ones where these are known."""
        return next(iter(self.sides.values()))

    def of_class(self, position: int) -> "Truth":
        """Look at one class against all others."""
        hit = np.where(self.known, self.y == position, np.nan)
        return replace(self, task="binary", output=position, y=hit, predicted=self.predicted[:, position])


def truths(dec: Decomposition, aside: KeptAside, predictions: Floats) -> tuple[Truth, ...]:
    """Find what each target is the truth of, and refuse what it cannot be."""
    n_targets, n_outputs = len(aside.targets), len(dec.output_names)
    if n_outputs > 1 and n_targets == 1:
        return (_several_classes(dec, aside, predictions),)
    if n_targets not in (0, n_outputs):
        raise InputError(
            f"There are {n_targets} targets, {listing([feature.name for feature, _ in aside.targets])}, for "
            f"{n_outputs} output(s). Name one target for each output, and leave other columns out (exclude)."
        )
    return tuple(one_output(dec, aside, at, predictions[:, at], at) for at in range(n_targets))


def one_output(dec: Decomposition, aside: KeptAside, target: int, predictions: Floats, output: int) -> Truth:
    """Match a target with one output."""
    (feature, values), scale = aside.targets[target], dec.scale
    likely, given = bool(((predictions >= 0) & (predictions <= 1)).all()), values[~np.isnan(values)]
    two = feature.kind in PLAIN and bool(np.isin(given, (0.0, 1.0)).all())
    task: Task = "regression"
    if scale in ("logit", "probability") or (scale == "identity" and likely and (two or feature.has_levels)):
        task = "binary"
    elif scale == "margin" or (scale == "log" and bool((given >= 0).all())):
        task = "ranking" if scale == "margin" else "log"
    if task in ("binary", "ranking"):
        y = _is_class((feature, values), dec.output_names[output])
    elif feature.kind not in PLAIN:
        kind = "text" if feature.has_levels else "dates"
        raise InputError(
            f"The target {feature.name!r} holds {kind}, but the model predicts numbers. Name the column with the "
            f"numbers that it should predict{FOR_TEXT if feature.has_levels else ''}."
        )
    else:
        y = values.astype(np.float64)
    truth = Truth(task, feature.title, output, y, RESPONSE.get(scale, np.asarray)(predictions), aside)
    return _varying(truth)


def _several_classes(dec: Decomposition, aside: KeptAside, predictions: Floats) -> Truth:
    """Match one target with the classes that are the outputs."""
    feature, values = aside.targets[0]
    shares = RESPONSE.get(dec.scale, np.asarray)(predictions)
    names = list(dec.output_names)
    if dec.scale in ("margin", "log") or ((shares < 0) | (shares > 1)).any():
        raise InputError(
            f"The target {feature.name!r} is one column for {len(names)} outputs that are no probabilities. Name a "
            "target for each output, or choose one of them (output)."
        )
    unknown = np.isnan(values)
    if feature.has_levels:
        position = np.array([names.index(level) if level in names else -1 for level in feature.levels])
        y = position[np.where(unknown, 0, values).astype(np.intp)].astype(np.float64)
    else:
        known = [_number(name) for name in names]
        y = np.array([float(known.index(value)) if value in known else -1.0 for value in values.tolist()])
    y[unknown] = np.nan
    if (y < 0).any():
        at = int(np.flatnonzero(y < 0)[0])
        shown = feature.levels[int(values[at])] if feature.has_levels else f"{values[at]:g}"
        raise InputError(
            f"The target {feature.name!r} holds {shown!r} at position {at}, which is no class of the model: "
            f"{listing(names, limit=20)}. Write the truth as the model names its classes."
        )
    return _varying(Truth("classes", feature.title, None, y, shares, aside))


def _is_class(held: Held, name: str) -> Floats:
    """Write 1 where the truth is the class that is predicted."""
    feature, values = held
    unknown = np.isnan(values)
    if feature.has_levels:
        if name not in feature.levels:
            raise InputError(
                f"The target {feature.name!r} holds text, {listing(feature.levels)}, and the prediction is called "
                f"{name!r}. Write 1 where a row is of the class that is predicted, and 0 elsewhere."
            )
        return np.where(unknown, np.nan, values == feature.levels.index(name))
    wanted = _number(name)
    if wanted is not None and (values == wanted).any():
        return np.where(unknown, np.nan, values == wanted)
    given = np.unique(values[~unknown])
    if feature.kind not in PLAIN or not np.isin(given, (0.0, 1.0)).all():
        raise InputError(
            f"The target {feature.name!r} must say of each row whether it is of the class that is predicted; got "
            f"{listing(given[:5].tolist())}. Write 1 and 0. Other numbers fit predictions that are numbers of their "
            "kind (scale='identity')."
        )
    return values.astype(np.float64)


def _number(name: str) -> float | None:
    """Read the name of a class as a number, if it is one."""
    try:
        return {"True": 1.0, "False": 0.0}[name] if name in ("True", "False") else float(name)
    except ValueError:
        return None


def _varying(truth: Truth) -> Truth:
    """Refuse a truth that never changes on rows that are judged."""
    for name, side in truth.sides.items():
        if not side.any():
            raise InputError(
                f"The target {truth.target!r} is missing in all {name}, so nothing can be compared there. Pass rows of "
                "which it is known."
            )
        if not np.ptp(truth.y[side]):
            raise InputError(
                f"The target {truth.target!r} is the same in {'' if name == EVERY else 'all '}{name}, so nothing can "
                "be predicted there. Pass rows in which it differs."
            )
    return truth
