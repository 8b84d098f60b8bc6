"""
Which explanation differs, and why
==================================

One model, two inputs that go together, six explanations. They differ because they answer different questions;
with dependent inputs, the questions come apart. Here the truth is known on paper, so that one can see which is
which.
"""

# %%
# Two normal inputs with correlation :math:`r = 0.8`, and predictions :math:`\nu(x) = x_0 x_1`. The generalized
# functional ANOVA of this product is known. Both main effects are parabolas,
#
# .. math:: \nu_0(x_0) = \frac{r}{1 + r^2} (x_0^2 - 1),
#
# because where :math:`x_0` is large, so is :math:`x_1`, and their product is large; what is left over is the
# pure interaction. A third input does nothing. The model is a booster that has learned the product.
import numpy as np
import pandas as pd
from xgboost import XGBRegressor

r, n_rows = 0.8, 6000
rng = np.random.default_rng(0)
first = rng.normal(size=n_rows)
X = pd.DataFrame(
    {"x0": first, "x1": r * first + np.sqrt(1 - r**2) * rng.normal(size=n_rows), "x2": rng.normal(size=n_rows)}
)
model = XGBRegressor(n_estimators=150, max_depth=4, learning_rate=0.1, n_jobs=1).fit(X, X["x0"] * X["x1"])

from anova_report import explain

dec = explain(model, X, progress=False)
dec

# %%
# Other methods are asked about the same model and the same rows, through their own libraries.
from anova_report.compare import attribute

names = ("pdp", "ale", "treeshap", "treehfd", "ebm")
others = [attribute(name, model, X, like=dec, max_rows=1500, progress=False) for name in names]


# %%
# How far is each from what it corresponds to in this decomposition? Curves correspond to the main effect
# :math:`\nu_0`; values that share a whole prediction among its features, as SHAP does, correspond to
# :math:`\nu_0 + \nu_{01} / 2`. The distance is a root mean square over rows, relative to the spread of the
# truth: 0 is the same, 1 is as far as saying nothing.
def truth(rows: pd.DataFrame, counterpart: str) -> pd.Series:
    mains = [r / (1 + r**2) * (rows[name] ** 2 - 1) for name in ("x0", "x1")]
    pair = rows["x0"] * rows["x1"] - r - mains[0] - mains[1]
    return mains[0] if counterpart == "main effect" else mains[0] + pair / 2


def distance(said: np.ndarray, rows: pd.DataFrame, counterpart: str) -> float:
    true = truth(rows, counterpart)
    return round(float(np.sqrt(np.mean((said - said.mean() - true + true.mean()) ** 2) / np.var(true))), 2)


lines = [("anova_report", "main effect", distance(dec.component("x0", X), X, "main effect"))]
lines += [("anova_report", "ANOVA-Shapley value", distance(dec.shapley(X)[:, 0], X, "ANOVA-Shapley value"))]
for found in others:
    said = distance(found.column("x0")[1], X.iloc[found.rows], found.counterpart)
    lines.append((found.title, found.counterpart, said))
pd.DataFrame(lines, columns=["method", "corresponds to", "distance"])

# %%
# Why they differ:
#
# - **PDP** averages the model over all values of the other inputs, as if they were independent. For the product
#   itself that is :math:`x_0 \cdot \mathbb{E}[X_1] = 0`, a flat line; the booster is also asked about pairs of
#   values that never occur together, and what it makes up there is in the curve.
# - **ALE** adds up local slopes where rows are: :math:`\mathbb{E}[X_1 \mid x_0] = r x_0` gives the parabola
#   :math:`r x_0^2 / 2`, which is not :math:`\nu_0`: it says how predictions change when one input moves and the
#   other stays, not what the one says about them.
# - **SHAP** has no main effects. It splits every prediction among the inputs; along the paths of trees it
#   follows the dependence as far as the splits do.
# - **TreeHFD** estimates the same decomposition as we do, from inside the trees, so that it should come close.
#   It needs a booster; we need predictions.
# - **EBM** is another model, trained on the predictions of this one. Its shapes are made pure under the distribution of
#   the rows before they are compared.
#
# None is wrong: each answers its own question. A main effect that is orthogonal to its interactions is the
# answer to *what can be said with one input alone, so that nothing of it is said twice*.
#
# The page lays all of them over our main effects: see *Other explanations*.
from anova_report.report import build_audit, write_report

page = build_audit(dec, others=others, title="One model, six explanations", progress=False)
path = write_report(page, "which_explanation.html")
# sphinx_gallery_thumbnail_path = "pictures/thumb_09_which_explanation.png"
