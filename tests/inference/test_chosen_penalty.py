"""Which penalty is shown, and what is said of it."""

import numpy as np
import pandas as pd
from contrast_subgraphs.inference import chosen_penalty, permutation_test


def table():
    return pd.DataFrame(
        {
            "cohort": ["a"] * 3 + ["b"],
            "contrast": ["x-y", "x-y", "y-x", "x-y"],
            "percentile": [80.0, 90.0, 80.0, 80.0],
            "z": [1.0, 3.0, 0.5, np.nan],
            "p": [0.2, 0.004, 0.3, np.nan],
            "p_contrast": [0.3, 0.01, 0.4, np.nan],
        }
    )


def test_the_smallest_p_is_shown():
    found = chosen_penalty(table())
    assert found["percentile"].tolist() == [90, 80, 80]
    assert found["passes"].tolist() == [True, False, False]
    assert found["verdict"].tolist() == [
        "the set at percentile 90 differs by more than chance (p = 0.01)",
        "no set differs by more than chance (p = 0.4)",
        "there is no test of it",
    ]


def test_a_fixed_penalty_is_kept_and_judged_by_itself():
    found = chosen_penalty(table(), {"x-y": 80})
    assert found["percentile"].tolist() == [80, 80, 80]
    assert found["pvalue"].tolist()[:2] == [0.2, 0.4]
    # One that was not tested cannot be shown.
    assert chosen_penalty(table(), {"x-y": 70})["percentile"][0] == 90


def test_it_is_what_p_over_the_penalties_tests():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((40, 8, 8)) < 0.3, 1).astype(int)
    upper[:20, :4, :4] |= np.triu(rng.random((20, 4, 4)) < 0.5, 1)
    graphs, y = upper + upper.transpose(0, 2, 1), np.repeat(["a", "b"], 20)
    result = permutation_test(graphs, y, percentiles=[60, 80, 95], n_permutations=99)
    found = chosen_penalty(result.table()).set_index("contrast")
    for c, contrast in enumerate(result.contrasts):
        at = int(np.lexsort((-result.z[c], result.p().p[c], result.p_contrast().p[c]))[0])
        assert found["percentile"][contrast] == result.percentiles[at]
        assert found["pvalue"][contrast] == result.p_contrast().p[c].min()
