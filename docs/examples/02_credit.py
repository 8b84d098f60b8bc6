"""
Credit: protected columns, and what we expect of a model
========================================================

May a model use gender? Does it, in fact? And does the score rise with income, as it should? The first two
questions are answered by a share and a ledger, the third by a band; all three can be asserted in a test. The page
also says how good the model is, on rows that it was not trained on.
"""

# %%
# A table of applicants in which contracts depend on gender, and a model that is *not given* gender. A third of the rows
# is held out of its training.
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

rng = np.random.default_rng(0)
n_rows = 6000
gender = rng.choice(["female", "male"], n_rows)
part_time = rng.random(n_rows) < np.where(gender == "female", 0.6, 0.15)
income = rng.gamma(5, 8, n_rows) * np.where(part_time, 0.6, 1)
debt = rng.beta(2, 4, n_rows) * 60
age = rng.integers(20, 70, n_rows)
odds = 0.05 * (income - 30) - 0.06 * (debt - 20) - 0.7 * part_time - 0.0006 * (income - 30) * (debt - 20)
repaid = rng.random(n_rows) < 1 / (1 + np.exp(-odds))
contract = np.where(part_time, "part time", "full time")
X = pd.DataFrame({"income": income, "debt": debt, "age": age, "contract": contract, "gender": gender})

given = make_column_transformer(
    (OrdinalEncoder(), ["contract"]), ("passthrough", ["income", "debt", "age"]), remainder="drop"
)
held_out = np.arange(n_rows) % 3 == 0
model = make_pipeline(given, HistGradientBoostingClassifier(max_depth=3, max_iter=80, random_state=0))
model.fit(X[~held_out], repaid[~held_out])

# %%
# **Does it use gender directly?** The column stays in the table, although the model drops it: its total share,
# with all of its interactions, says what the predictions owe to gender when everything else is held against it.
from anova_report import explain, measures

dec = explain(model, X, progress=False)
direct = {item.feature: item.share for item in measures.feature_totals(dec).features}
print(f"Gender, beside all other columns: {direct['gender']:.2%} of the variance of the log-odds")

# %%
# **Does it use gender through other columns?** The difference of mean log-odds between men and women adds up from
# what runs through each component: a ledger, with an interval for each amount.
(column,) = measures.protected_columns(dec, ["gender"])
(ledger,) = column.ledgers
for entry in (ledger.whole, ledger.direct, *ledger.entries[:3]):
    print(f"{entry.label}: {entry.value:+.3f} ({entry.interval.low:+.3f} to {entry.interval.high:+.3f})")

# %%
# Nothing runs directly, and most through income and the contract: the model treats equal contracts alike, and
# contracts are not equal. Which of these differences are acceptable is a question of law and policy, which no
# decomposition answers.
# (``groups=`` is something else: it holds rows of one patient or customer out together.)
#
# **What we expect**, as a test would assert it: gender has no direct share; the effect of income rises, by more
# than its band; no interaction with age carries 1%.
lows, highs = (pd.DataFrame({**X.iloc[[0]], "income": [X["income"].quantile(q)]}) for q in (0.1, 0.9))
poor, rich = (measures.bands(dec, "income", row) for row in (lows, highs))
pairs = [share for share in measures.variance_shares(dec).terms if len(share.term) == 2]

assert abs(direct["gender"]) < 0.01
assert rich.lower[0] > poor.upper[0]
assert not [share.label for share in pairs if "age" in share.label and share.structural > 0.01]

# %%
# The page, with the expectation among its notes, the ledger, and the accuracy on rows that were held out.
from anova_report import audit

page = audit(
    model,
    X,
    "credit.html",
    target=repaid,
    split=held_out,
    protected=["gender"],
    title="Credit: log-odds of repayment",
    notes=["Expected: no direct effect of gender, and an effect of income that rises. Both hold."],
    progress=False,
)
print(page.outputs[0].accuracy.line)
# sphinx_gallery_thumbnail_path = "pictures/thumb_02_credit.png"
