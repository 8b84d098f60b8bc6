import numpy as np
import pandas as pd
from anova_report.report.notebooks.example import example_options

from anova_report.report.jobs.options import Job


def test_the_example_is_a_table_with_the_answers_of_a_model_and_the_options_to_audit_it(tmp_path):
    job = Job.from_config(example_options(tmp_path))
    table = pd.read_csv(job.data)
    assert list(table.columns) == ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6", "prediction"]
    assert len(table) == 442
    assert job.prediction == ("prediction",)
    assert 0.5 < np.corrcoef(table["prediction"], table["bmi"])[0, 1] < 1


def test_the_example_is_the_same_every_time(tmp_path):
    first = example_options(tmp_path)
    before = (tmp_path / "anova-report-example.csv").read_bytes()
    assert example_options(tmp_path) == first
    assert (tmp_path / "anova-report-example.csv").read_bytes() == before
