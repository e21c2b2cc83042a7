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


def measured(*d):
    return table()[["cohort", "contrast", "percentile"]].assign(d=d)


def test_of_those_that_pass_the_one_that_measures_best_is_shown():
    tests = table().assign(p_contrast=[0.04, 0.01, 0.4, np.nan])
    found = chosen_penalty(tests, effects=measured(0.8, 0.3, 0.1, np.nan))
    assert found["percentile"].tolist() == [80, 80, 80]
    assert found["pvalue"].tolist()[:2] == [0.04, 0.4]  # its own, not that of another set
    assert found["passes"].tolist() == [True, False, False]
    # One that does not pass is not shown, however well it measures.
    found = chosen_penalty(table(), effects=measured(0.8, 0.3, 0.1, np.nan))
    assert found["percentile"].tolist() == [90, 80, 80]
    # A row of several chosen at once, as the effects have it, is nobody's.
    more = pd.concat([measured(0.8, 0.3, 0.1, np.nan), pd.DataFrame({"contrast": ["chosen"]})])
    assert chosen_penalty(tests, effects=more).equals(chosen_penalty(tests, effects=more[:-1]))
    # Where nothing was measured, the smallest p.
    nothing = chosen_penalty(tests, effects=measured(*[np.nan] * 4))
    assert nothing.equals(chosen_penalty(tests))


def test_a_set_that_passes_family_wise_comes_before_one_that_does_not():
    tests = table()[:2].assign(p_contrast=[0.04, 0.01], p_familywise=[0.09, 0.02])
    effects = measured(0.8, 0.3, 0.1, np.nan)
    assert chosen_penalty(tests, effects=effects)["percentile"].tolist() == [90]
    tests["p_familywise"] = 0.09
    assert chosen_penalty(tests, effects=effects)["percentile"].tolist() == [80]


def test_penalties_given_as_values_are_told_apart():
    tests = table()[:2].assign(percentile=np.nan, alpha=[0.1, 0.2], p_contrast=[0.04, 0.01])
    effects = tests[["cohort", "contrast", "percentile"]].assign(d=[0.8, 0.3])
    assert chosen_penalty(tests, effects=effects)["alpha"].tolist() == [0.1]


def test_a_set_without_a_pair_is_not_shown_beside_one_with():
    tests = table()[:2].assign(size=[5, 0])
    assert chosen_penalty(tests)["percentile"].tolist() == [80]


def test_a_fixed_penalty_is_kept_and_judged_by_itself():
    found = chosen_penalty(table(), {"x-y": 80})
    assert found["percentile"].tolist() == [80, 80, 80]
    assert found["pvalue"].tolist()[:2] == [0.2, 0.4]
    # One that was not tested cannot be shown.
    assert chosen_penalty(table(), {"x-y": 70})["percentile"][0] == 90


def test_without_effects_it_is_what_p_over_the_penalties_tests():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((40, 8, 8)) < 0.3, 1).astype(int)
    upper[:20, :4, :4] |= np.triu(rng.random((20, 4, 4)) < 0.5, 1)
    graphs, y = upper + upper.transpose(0, 2, 1), np.repeat(["a", "b"], 20)
    result = permutation_test(graphs, y, percentiles=[60, 80, 95], n_permutations=99)
    found = chosen_penalty(result).set_index("contrast")
    for c, contrast in enumerate(result.contrasts):
        at = int(
            np.lexsort((-result.z[c], result.pvalue_uncorrected[c], result.pvalue_contrast[c]))[0]
        )
        assert found["percentile"][contrast] == result.percentiles[at]
        assert found["pvalue"][contrast] == result.pvalue_contrast[c].min()
