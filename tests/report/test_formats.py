"""Numbers as people write them."""

import pytest
from contrast_subgraphs.report.formats import (
    density_text,
    interval,
    number,
    number_text,
    p_text,
    p_value,
    signed,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((number(-0.126), number(3, ".0f"), number(0.256, ".1%")), ("−0.13", "3", "25.6%")),
        ((interval(0.1, 0.25), interval(-0.1, 0.25, signed)), ("0.10 to 0.25", "−0.100 to +0.250")),
        ((p_value(0.0004), p_value(0.25)), ("< 0.001", "0.250")),
        ((p_text(0.4136), p_text(0.0049), p_text(0.0001)), ("p = 0.41", "p = 0.005", "p < 0.001")),
        ((density_text(0.3333), density_text(12345.6)), ("0.33", "12,346")),
        ((signed(0.0342), signed(-3.14159), signed(12345.6)), ("+0.034", "−3.14", "+12,346")),
        ((number_text(0.0342), number_text(12345.6), number_text(2.0)), ("0.034", "12,346", "2")),
        ((number(None), interval(None, None), p_value(None), density_text(NAN)), ("",) * 4),
        ((signed(NAN), signed(None)), ("", "")),
    ],
)
def test_numbers_are_written_as_people_do(said, expected):
    assert said == expected
