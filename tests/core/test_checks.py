"""Seeds of every kind become numbers, and other things are refused."""

import numpy as np
import pytest
from contrast_subgraphs import InputError
from contrast_subgraphs.core.checks import check_seed


def test_a_number_is_the_seed_itself():
    assert check_seed(7) == check_seed(np.int64(7)) == 7


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_a_generator_gives_a_seed_and_goes_on(generator):
    one = generator(3)
    other = generator(3)
    first = check_seed(one)
    assert first == check_seed(other)
    assert check_seed(one) != first


def test_none_is_another_seed_each_time():
    assert len({check_seed(None) for _ in range(5)}) == 5


@pytest.mark.parametrize("value", [1.0, True, "1", [1]])
def test_what_would_draw_other_numbers_is_refused(value):
    with pytest.raises(InputError, match="random_state must be a whole number, None, or"):
        check_seed(value)
