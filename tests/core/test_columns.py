"""What people's columns hold, by their role."""

import io
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core import columns
from contrast_subgraphs.core.atomic_files import NOT_KNOWN
from contrast_subgraphs.core.columns import (
    as_written,
    check_column,
    columns_of,
    covariate,
    covariates_of,
    doubts,
    groups,
    identifiers,
    in_expression,
    internal,
    is_date,
    missing_entries,
    numbers,
    own_columns,
    persons,
    typed,
    whole_identifiers,
    with_internal,
)
from contrast_subgraphs.core.errors import InputError
from hypothesis import given
from hypothesis import strategies as st

ENTRIES = st.sampled_from(
    ["1", "1.0", "1.10", "1.1", "001", "-99", "12345678901234567890", "0x1", "1e3", "inf", "1_0"]
    + ["NA", "None", "n/a", "NaN", ".", "", "-9999", "null", "?", "unknown", "1,5", "B", "é"]
    + ["True", "FALSE", "2024-01-31", "31.1.2024", " x"]
)
NAMES = st.sampled_from(["age", "dx", "who", "site", "family_id", "participant_id", "SUB_ID"])


def table_of(**texts):
    return typed(pd.DataFrame(texts))


@given(NAMES, st.lists(ENTRIES, min_size=1, max_size=8))
def test_what_is_written_is_read_as_the_same(name, entries):
    table = typed(pd.DataFrame({name: entries}))
    assert typed(as_written(table)).equals(table)
    again = pd.DataFrame(as_written(table))
    kept = again[name].dropna().tolist()
    assert all(one in entries for one in kept)  # nothing is written in another way


@given(st.lists(ENTRIES, min_size=2, max_size=8))
def test_two_people_are_never_one(entries):
    found = identifiers(table_of(who=entries), "who")
    for one, text in zip(found, entries, strict=True):
        assert one is None or one == text
    for one, other in zip(found, entries, strict=True):
        if other in columns.MISSING:
            assert one is None


@pytest.mark.parametrize(
    ("entries", "values"),
    [
        (["7", "8.5", "n/a"], [7, 8.5, np.nan]),
        (["7", ".", "NA"], [7, np.nan, np.nan]),
        (["1e3", "-2", ""], [1000, -2, np.nan]),
        (["007", "1", "NaN"], [7, 1, np.nan]),
        (["-9999", "3", "-9999.0"], [np.nan, 3, np.nan]),
        (["TRUE", "False", "n/a"], [1, 0, np.nan]),
    ],
)
def test_numbers(entries, values):
    assert np.array_equal(numbers(table_of(x=entries), "x"), values, equal_nan=True)
    assert np.array_equal(covariate(table_of(x=entries), "x"), values, equal_nan=True)


@pytest.mark.parametrize("odd", ["unknown", "?", "n.a.", "inf", "1_000", "12 y", "1,5", "<5"])
def test_mostly_numbers_are_numbers_or_an_error(odd):
    table, told = table_of(x=["7", "8", "9", odd]), f"x must hold numbers: {odd!r} is not a number"
    for read in (numbers, covariate):
        for given_ in (table, np.array(["7", "8", "9", odd]), ["7", "8", None, "9", odd]):
            with pytest.raises(InputError) as caught:
                read(given_, "x")
            assert told in str(caught.value)
    # Also of those who are left when the odd one is gone, or when few numbers are.
    assert numbers(table.iloc[:3], "x").tolist() == covariate(table.iloc[:3], "x").tolist()
    with pytest.raises(InputError, match="must hold numbers"):
        covariate(table.iloc[3:], "x")


def test_the_first_odd_values_are_counted():
    told = r"'a', 'b' and 'c'.* \(5 of 11 entries\); .*missing_codes"
    with pytest.raises(InputError, match=told):
        numbers(table_of(x=["a", "b", "a", "b", "c", *"123456"]), "x")
    with pytest.raises(InputError, match="decimal points instead of commas"):
        numbers(table_of(x=["1,5", "2,25", "3"]), "x")


@pytest.mark.parametrize("word", ["NA", "None", "null", "NULL"])
def test_words_are_missing_among_numbers_alone(word):
    assert table_of(x=["A", word])["x"].tolist() == ["A", word]
    assert missing_entries(table_of(x=["1", word])["x"]).tolist() == [False, True]
    told = rf"the column x holds {word}, .*missing_codes: \[{word}\]"
    (said,) = doubts(table_of(x=["A", word]), "people.tsv")
    assert re.search(told, said)
    assert typed(pd.DataFrame({"x": ["A", word]}), codes=[word])["x"].isna().tolist() == [0, 1]


@pytest.mark.parametrize("missing", sorted({"", "n/a", "N/A", "NaN", "nan", "<NA>", "-9999"}))
def test_missing_in_every_column(missing):
    for other in ("A", "1", "2024-01-31", "True"):
        table = table_of(x=[other, missing], site=[other, missing], who_id=[other, missing])
        for name in columns_of(table):
            assert missing_entries(table[name]).tolist() == [False, True], (other, name)
            assert identifiers(table, name).tolist() == [other, None]


@pytest.mark.parametrize("code", [-99, -999, 999, 9999, 88, 99, 77, -9, 888])
def test_codes_that_stand_apart(code):
    table = table_of(x=["1.5", "3", "2", "4", str(code)], who_id=["1", "2", "3", "4", str(code)])
    told = rf"column x holds {code}, .*--missing-codes {code}\)"
    (said,) = doubts(table, "people.tsv")
    assert re.search(told, said)
    texts = pd.DataFrame({"x": ["1.5", "3", f"{code}.0"], "who_id": ["1", "2", f"{code}1"]})
    found = typed(texts, codes=[str(code)])
    assert found["x"].tolist()[:2] == [1.5, 3.0] and np.isnan(found["x"][2])
    assert not missing_entries(found["who_id"]).any()


@pytest.mark.parametrize("values", [[18, 75, 88, 99], [70, 999, 1200], [-20, -9, 9, 5], [999]])
def test_numbers_that_are_no_codes(values):
    assert not list(doubts(table_of(x=list(map(str, values))), "people.tsv"))


DATES = ["2024-01-31", "2024/1/31", "31.1.2024", "1/31/2024", "2024-01-31T10:00:00", "31 Jan 2024"]


@pytest.mark.parametrize(
    "values",
    [
        *([date, None, date] for date in DATES),
        [20240131, 20231201, 20240101],
        ["20240131", "20231201", "20240101"],
        pd.to_datetime(["2024-01-31", None, "2023-12-01"]),
        [pd.Timestamp("2024-01-31"), None, pd.NaT],
        np.array(["2024-01-31", "NaT", "2023-12-01"], dtype="datetime64[D]"),
        pd.Series(pd.to_datetime(["2024-01-31", "2023-12-01", None])),
    ],
)
def test_dates_are_neither_numbers_nor_categories(values):
    assert is_date(pd.Series(values))
    for read in (numbers, covariate):
        with pytest.raises(InputError, match="scan holds dates, such as .* since a first one"):
            read(values, "scan")
    assert (identifiers(values, "day") != "").all()  # a block may be a day


@pytest.mark.parametrize("values", [["a", "b"], ["1.5", "2.5"], [20, 30], ["3 mg", "2 mg"], []])
def test_no_dates(values):
    assert not is_date(values)


@pytest.mark.parametrize(
    "gap", [None, np.nan, pd.NA, pd.NaT, "", "n/a", np.ma.masked, float("nan"), np.float32("nan")]
)
def test_gaps_of_every_kind(gap):
    assert identifiers(["a", gap], "who").tolist() == ["a", None]
    assert covariate(["a", gap], "x").isna().tolist() == [False, True]
    assert np.isnan(numbers([1.5, gap], "x")).tolist() == [False, True]
    with pytest.raises(InputError, match="the who of 1 of 2 subjects is missing"):
        whole_identifiers(["a", gap], "who")


@pytest.mark.parametrize("read", [numbers, covariate, identifiers])
def test_masks_are_honoured(read):
    for kind in (int, float, object):
        found = read(np.ma.masked_equal(np.array([1, 2, 9], dtype=kind), 9), "x")
        assert missing_entries(found).tolist() == [False, False, True]


@pytest.mark.parametrize("values", [[1, 2, 3], [1.0, 2.0], ["1", "2", "3"], [True, False]])
def test_categorical_is_categories(values):
    found = covariate(pd.Categorical(values), "x")
    assert found.dtype == "category" and not columns.is_number(found)
    assert covariate(found, "x").equals(found)
    with pytest.raises(InputError, match="is categories"):
        numbers(pd.Categorical(values), "x")


@pytest.mark.parametrize("unit", [" y", "%", "kg"])
def test_many_numbers_with_a_unit_are_no_categories(unit):
    ages = [f"{age}{unit}" for age in [*range(20, 32), *range(20, 32)]]
    with pytest.raises(InputError, match="age holds numbers with a unit"):
        covariate(typed(pd.DataFrame({"age": ages})), "age")
    # Field strengths, and names that begin with a number, are categories.
    for few in (["1.5T", "3T"] * 12, [f"{k}{'ab'[k % 2]}" for k in range(24)]):
        assert covariate(typed(pd.DataFrame({"age": few})), "age").tolist() == few


def test_numbers_as_texts_may_be_either():
    with pytest.raises(InputError, match=r"numbers as texts, such as '1'.*pandas.Categorical"):
        covariate(np.array(["1", "2"]), "x")
    assert numbers(np.array(["1", "2"]), "x").tolist() == [1, 2]


@pytest.mark.parametrize("name", ["site", "SITE_ID", "scanner", "family_id", "center"])
def test_names_are_categories_whatever_they_look_like(name):
    for values in ([1, 2], [1.0, 2.0], ["1", "2"], pd.Series([1, 2])):
        assert covariate(values, name).tolist() == ["1", "2"]
    assert covariates_of(table_of(**{name: ["1", "2"]}), [name])[name].tolist() == ["1", "2"]


@pytest.mark.parametrize("values", [[1j, 2], [[1, 2]], 3, np.array([1], dtype="m8[D]"), [np.inf]])
def test_what_is_no_column_of_numbers(values):
    with pytest.raises(InputError):
        numbers(values, "x")


def test_groups_are_what_is_written():
    assert groups(table_of(dx=["1", "2", "1.0"]), "dx").tolist() == ["1", "2", "1.0"]
    assert groups(table_of(dx=["NA", "None"]), "dx").tolist() == ["NA", "None"]


@pytest.mark.parametrize("name", ["SUB_ID", "FILE_ID", "SITE_ID", "AGE_AT_SCAN", "SEX"])
def test_a_user_s_column_stays_his_own(name):
    table = with_internal(table_of(**{name: ["50003", "50004"]}), name, [1, 2])
    assert table[name].astype(int).tolist() == [50003, 50004]
    assert internal(table, name).tolist() == [1, 2]
    assert columns_of(table) == [name]
    assert internal(typed(as_written(table)), name).astype(int).tolist() == [1, 2]
    assert with_internal(table_of(other=["1"]), name, [7])[name].tolist() == [7]


@pytest.mark.parametrize("sign", ["", "-", "+"])
def test_whole_numbers_that_no_float_tells_apart_are_names(sign):
    entries = [f"{sign}9007199254740992", f"{sign}9007199254740993", "7"]
    table = table_of(x=entries)
    assert in_expression(table, "x")[0] == "text"
    assert identifiers(table, "x").tolist() == entries
    assert table_of(x=["900719925474099", "7"])["x"].tolist() == [900719925474099, 7]


@pytest.mark.parametrize(
    "pair", [("a", "a\u200b"), ("no drug", "no  drug"), ("\u00e9", "e\u0301"), ("a b", "a\u2009b")]
)
@pytest.mark.parametrize("column", ["group", "who_id"])
def test_entries_that_look_alike_are_doubted(pair, column):
    (said,) = doubts(table_of(**{column: [*pair, "b"]}), "people.tsv")
    assert "look alike" in said and ascii(pair[1]) in said
    assert not list(doubts(table_of(**{column: ["a", "\u00e9", "e"]}), "people.tsv"))


MIXED = (["M", "m", "F"], ["M", "F", "1", "F"], ["male", "female", "Male"])
SAME = (["1", "01", "2"], ["1", "1.0", "2"], ["TRUE", "True", "FALSE"], ["a", "A", "b"])


@pytest.mark.parametrize("entries", SAME)
@pytest.mark.parametrize("column", ["group", "site"])
def test_one_value_in_two_spellings_is_doubted(entries, column):
    (said,) = doubts(table_of(**{column: entries}), "people.tsv")
    assert f"the column {column} holds" in said
    assert "which are the same number" in said or "only by capitals" in said
    assert not list(doubts(table_of(**{column: ["1", "2", "1"]}), "people.tsv"))
    ages = [str(age) for age in range(7, 30)] + ["7.0", "7.5"]
    assert not list(doubts(table_of(age=ages), "people.tsv"))


@pytest.mark.parametrize("entries", MIXED)
def test_two_codings_of_one_column_are_doubted(entries):
    (said,) = doubts(table_of(sex=entries), "people.tsv")
    assert "each is a category of its own" in said
    assert not list(doubts(table_of(who_id=entries), "people.tsv"))  # persons may be called so
    with pytest.warns(UserWarning, match="sex holds .* each is a category of its own"):
        covariate(entries, "sex")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        covariate(table_of(sex=entries), "sex")  # said when the table was read
        covariate(["M", "F", "n/a"], "sex")


@pytest.mark.parametrize(
    "entry", ["01-Mar-01", "1 mar 2001", "01/MAR/2001", "March 1, 2001", "Mar 2001", "01Mar2001"]
)
def test_dates_with_names_of_months_are_no_categories(entry):
    assert is_date([entry, entry])
    with pytest.raises(InputError, match="holds dates"):
        covariate([entry, entry, None], "visit")


@pytest.mark.parametrize("name", ["unknown", "?", "-", "N.A.", "-99"])
def test_several_persons_who_are_not_known_are_not_one(name):
    with pytest.raises(InputError, match="which would be one person.*missing_codes"):
        persons(["ann", name, "bob", name], "who")
    assert persons(["ann", name, "bob"], "who")[1] == name


@pytest.mark.parametrize("code", ["999", "0", "-9", "-1", "9999"])
def test_codes_among_numbers_of_persons_are_no_person(code):
    from contrast_subgraphs.design import paired, two_groups

    people = [str(number) for number in range(101, 141)]
    twice = [*people, code, *people, code]
    y = np.repeat([0, 1], 41)
    for read in (
        lambda: persons(twice, "who"),
        lambda: paired(y, twice),
        lambda: two_groups(y, subjects=twice),
    ):
        with pytest.raises(InputError, match=f"{code}' 2 times, which would be one person"):
            read()
    # Numbers among the others, and those of one graph each, are persons.
    near = {"999": range(900, 1020), "0": range(30), "9999": range(9000, 10100)}.get(code, ())
    assert persons([*map(str, near)] * 2 + [*people, code], "who") is not None


def test_columns_of_the_table_itself_are_told_apart_from_those_added():
    table = with_internal(table_of(sex=["m", "f"]), "SEX", ["m", "f"])
    assert own_columns(table) == ["sex"] and "SEX" in columns_of(table)
    check_column(table, "SEX")  # both can be used
    with pytest.raises(InputError, match="no column 'sec': did you mean sex.*it has 'sex'$"):
        check_column(table, "sec")
    assert own_columns(typed(as_written(table))) == ["sex"]


def test_what_pandas_takes_for_missing_is_known():
    """Of each text it reads a gap, and of others that are like them it does not."""
    texts = sorted(NOT_KNOWN) + ["NAN?", "Null", "none", "-9999"]
    lines = "".join(f'k,"{text}"\n' for text in texts)
    read = pd.read_csv(io.StringIO("key,text\n" + lines))
    assert read["text"].isna().tolist() == [text in NOT_KNOWN for text in texts]
