"""What labels are exchanged with, and which blocks make a control of their own."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from tiny_cohort import labels_of

Y = np.arange(40) % 2
SITE = np.repeat(["A", "B"], 20)
PERSON = np.repeat([f"p{k:02d}" for k in range(20)], 2)


def test_sites_are_not_exchanged_as_wholes_where_no_blocks_are_given():
    """`exchange: whole` with people who have several graphs is about people then."""
    y = np.repeat(np.arange(20) % 2, 2)
    labels = labels_of(y, PERSON, site=SITE, exchange="whole")
    assert labels.together.tolist() == PERSON.tolist()
    permuted = labels.permuted(True, 0)
    assert (permuted[::2] == permuted[1::2]).all()
    assert [permuted[SITE == one].sum() for one in "AB"] == [10, 10]
    named = labels_of(y, PERSON, blocks=SITE, exchange="whole")
    assert named.together.tolist() == SITE.tolist() and named.within is None


def test_a_cohort_s_labels_stay_among_its_members():
    members = np.arange(40) % 4 > 0
    labels = labels_of(Y, site=SITE, members=members)
    for in_blocks in (False, True):
        for k in range(5):
            assert labels.permuted(in_blocks, k)[members].sum() == Y[members].sum()
    splits = labels.splits(Y, 3, 0.2)
    assert not splits[:, ~members].any() and (splits.sum(axis=1) == 6).all()


def test_one_person_with_both_labels_is_no_reason_to_stop():
    """The test says that it needs two; a control permutes whole people."""
    y = np.repeat(np.arange(20) % 2, 2)
    y[1] = 1 - y[0]
    labels = labels_of(y, PERSON)
    assert labels.within is None and labels.draws.exchange.whole == "person"
    with pytest.raises(InputError, match="1 subject .* in both groups"):
        labels_of(y, PERSON, exchange="within")


def test_too_few_families_are_named():
    labels = labels_of(Y, blocks=np.repeat(list("abcde"), 8), exchange="whole")
    with pytest.raises(InputError, match="5 people .or whole blocks.* too few for 5 folds"):
        labels.check(0.2, 5)
