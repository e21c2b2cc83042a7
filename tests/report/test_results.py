"""Files that a run's report reads: what was edited after it was written never gets there."""

import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.report.results import Results

CONFIG = {"source": "abide", "cohorts": {}, "methods": [], "groups": {"td": {}, "asd": {}}}
SHARES = "share share_permuted share_critical"
COLUMNS = f"cohort contrast percentile index {SHARES} region count splits z p test"


@pytest.mark.parametrize(
    ("kind", "attribute"),
    [
        ("rules", "rules"),
        ("group_tests", "group_tests"),
        ("shares", "shares"),
        ("inference", "significance"),
        ("stability", "stability"),
    ],
)
def test_edited_and_swapped_tables_are_noticed(tmp_path, kind, attribute):
    columns = [*COLUMNS.split(), "p_familywise", "blocks", "adjusted", "rule", "part"]
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        row = [path.stem, "td-asd", 80, *[0.048] * (len(columns) - 3)]
        save_table(pd.DataFrame([row], columns=columns), path)
    assert getattr(Results(CONFIG, **{kind: paths}), attribute)["cohort"].tolist() == ["a", "b"]
    written = paths[0].read_text(encoding="utf-8")
    for text in (written.replace("0.048", "0.90"), paths[1].read_text(encoding="utf-8"), ""):
        paths[0].write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"a\.csv is damaged or was edited"):
            getattr(Results(CONFIG, **{kind: paths}), attribute)


def test_empty_tables_of_cohorts_without_a_test_are_left_out(tmp_path):
    columns = ["cohort", "test", "p"]
    save_table(pd.DataFrame([["a", "nbs", 0.5]], columns=columns), tmp_path / "a.csv")
    save_table(pd.DataFrame(columns=columns), tmp_path / "b.csv")
    paths = {"group_tests": [tmp_path / "b.csv", tmp_path / "a.csv"]}
    assert Results(CONFIG, **paths).group_tests["cohort"].tolist() == ["a"]
