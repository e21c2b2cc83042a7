"""How much fixed numbers differ: the slope, its error, and what the interval covers."""

import numpy as np
import pytest
from contrast_subgraphs.design import NoTest, of_variable, two_groups
from contrast_subgraphs.inference.slopes import slopes_of
from scipy.stats import ttest_ind, ttest_rel

#: Data sets for one design: each column of numbers is one.
SETS = 2000
#: Designs may have few relabellings, and blocks of one group: they say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*")

SITES = np.repeat([0, 1, 2], 8)
AT_SITES = list("aabbbbbb" + "aaaabbbb" + "aaaaaabb")
FAMILIES = np.repeat(np.arange(14), [2] * 6 + [4] * 8)
IDLE = np.repeat([0, 1, 2], [4, 4, 40])
PEOPLE = np.repeat(np.arange(30), 2)
DESIGNS = {
    "blocks that hold other shares": (SITES, lambda: two_groups(AT_SITES, blocks=SITES)),
    "blocks of two": (
        np.repeat(np.arange(10), 2),
        lambda: two_groups(list("ab" * 10), blocks=np.repeat(np.arange(10), 2)),
    ),
    "a large block of one group": (
        IDLE,
        lambda: two_groups(list("aabbaabb" + "b" * 40), blocks=IDLE),
    ),
    "blocks and a covariate": (
        SITES,
        lambda: two_groups(AT_SITES, blocks=SITES, covariates={"age": np.arange(24) % 7 + SITES}),
    ),
    "whole blocks of two sizes": (
        FAMILIES,
        lambda: two_groups(
            np.where(FAMILIES % 2, "a", "b"), blocks=FAMILIES, exchange="whole", random_state=0
        ),
    ),
    "people with several graphs": (
        FAMILIES,
        lambda: two_groups(np.where(FAMILIES % 2, "a", "b"), subjects=FAMILIES),
    ),
    "both groups in few of the people": (
        PEOPLE,
        lambda: two_groups(
            np.where(PEOPLE < 7, np.arange(60) % 2, PEOPLE % 2).astype(str), subjects=PEOPLE
        ),
    ),
    "a variable in blocks": (
        SITES,
        lambda: of_variable(np.arange(24) ** 1.5 % 5 + 2 * SITES, blocks=SITES),
    ),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_interval_covers_the_difference(name):
    """Blocks (people, families) have levels of their own, five times as wide as all else."""
    code, make = DESIGNS[name]
    design = make().within_places()
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(len(code), SETS))
    noise += 5 * rng.normal(size=(code.max() + 1, SETS))[code]
    value = design.regressors[:, 0]
    low, high = slopes_of(design, noise + value[:, None]).interval()
    assert 0.93 < ((low <= 1) & (high >= 1)).mean() < 0.975


def test_levels_of_blocks_change_nothing():
    design = two_groups(AT_SITES, blocks=SITES).within_places()
    numbers = np.random.default_rng(0).normal(size=(24, 3))
    one = slopes_of(design, numbers)
    other = slopes_of(design, numbers + 100 * SITES[:, None])
    for name in ("slope", "error", "d"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6)


def test_it_is_the_t_test_where_there_is_one():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [5, 20])
    numbers = rng.normal(size=(25, 2)) * np.where(y == "a", 2, 1)[:, None]
    found = slopes_of(two_groups(y), numbers)
    welch = ttest_ind(numbers[:5], numbers[5:], equal_var=False)
    np.testing.assert_allclose(found.slope / found.error, welch.statistic)
    person = np.tile(np.arange(10), 2)
    design = two_groups(np.repeat(["a", "b"], 10), subjects=person).within_places()
    found = slopes_of(design, numbers[:20])
    paired = ttest_rel(numbers[:10], numbers[10:20])
    np.testing.assert_allclose(found.slope / found.error, paired.statistic)
    assert found.freedom == pytest.approx(9)
    np.testing.assert_allclose(found.interval()[0], paired.confidence_interval().low)


def test_one_person_against_others_is_measured_by_how_these_vary():
    """The only person of a group has no residual, and is taken to vary as the others do."""
    design = two_groups(list("abbb" + "aaa"), blocks=list("ppppqqq")).within_places()
    numbers = np.array([[5.0, 1, 2, 3, 50, 60, 70]]).T
    found = slopes_of(design, numbers)
    assert found.slope[0] == pytest.approx(3)
    assert found.freedom == pytest.approx(2)
    # As Student's t of one against three: the variance is 1.
    assert found.error[0] == pytest.approx(np.sqrt(1 + 1 / 3))


def test_too_few_to_tell_how_they_vary_have_no_interval():
    design = two_groups(list("ab" + "aaa" + "bbb"), blocks=list("ppqqqrrr")).within_places()
    found = slopes_of(design, np.array([[2.0, 1, 50, 60, 70, 20, 30, 40]]).T)
    assert found.slope[0] == pytest.approx(1)
    assert np.isnan(found.interval()).all()


def test_what_covariates_explain_within_blocks_is_not_tested():
    """The covariate is the group, and differs between blocks besides."""
    y = np.array(list("ab" * 12))
    design = two_groups(y, blocks=SITES, covariates={"age": (y == "a") + 10.0 * SITES})
    with pytest.raises(NoTest, match="between graphs that may be exchanged"):
        design.within_places()
