"""What the columns of people's tables hold. Whatever reads a column asks here.

A column has a role where it is used: a number, a category (a group, a covariate that is not a
number), an identifier (whose graph it is), a block, or a name. A table is typed once, as a whole
(`typed`), from the texts of its file. What was written is kept next to what was read, since the
persons 1.1 and 1.10, or 001 and 1, are the same number but not the same person.

The columns that are added here begin with `PREFIX`, and no user's column can: they have a name
space of their own (`internal`).
"""

import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from .atomic_files import NOT_KNOWN
from .checks import did_you_mean, in_words, plural
from .errors import InputError

#: The names of columns that are not the user's begin with this.
PREFIX = "contrast-subgraphs:"
#: What was written in a column of numbers.
_WRITTEN = f"{PREFIX}written:"
#: Whether an entry is not a number, in a column of which most entries are.
_ODD = f"{PREFIX}odd:"
#: Marks a column under one of ABIDE's names that was added to the user's.
_ADDED = f"{PREFIX}added:"
#: What may be a word of its own, such as a site or a drug: missing only among numbers.
WORDS = frozenset({"NA", "None", "NULL", "null", ".", "-", "--"})
#: What is missing in every column.
MISSING = frozenset({*NOT_KNOWN, "", "n/a", "N/A", "-9999", "-9999.0"} - WORDS)
#: Columns whose entries are names even where they look like numbers, without regard to capitals.
SITES = ("site", "site_id", "scanner", "center", "centre")
#: The site of people whose site is not known.
NO_SITE = "unknown"
_NAMED = r"(?:^|.*_)(?:id|name)$"
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_DECIMAL_COMMA = r"[+-]?[0-9]*,[0-9]+"
_PLAIN = r"0|-?[1-9][0-9]{0,14}"
#: A whole number this long is a name: as floats, two neighbors would be one number.
_TOO_LONG = r"[+-]?[0-9]{16,}"
_YEAR = r"(?:1[89]|2[01])[0-9]{2}"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?"
#: The beginning of a month's name, which tells 01-Mar-01 from the person 01-abc-01.
_MONTH_NAME = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[A-Za-z]{0,6}\.?"
_ISO_DATE = rf"{_YEAR}-[01][0-9]-[0-3][0-9]{_TIME}"
_DATE = "|".join(
    (
        _ISO_DATE,
        rf"{_YEAR}[/.]{_MONTH}[/.]{_DAY}{_TIME}",
        rf"{_DAY}[/.-]{_DAY}[/.-](?:{_YEAR}|[0-9]{{2}}){_TIME}",
        rf"{_DAY}[ -][A-Za-z]{{3,9}}\.?[ -]{_YEAR}",
        rf"{_DAY}[ /-]?{_MONTH_NAME}[ /-]?(?:{_YEAR}|[0-9]{{2}}){_TIME}",
        rf"{_MONTH_NAME} {_DAY},? {_YEAR}{_TIME}",
        rf"{_MONTH_NAME}[ /-]{_YEAR}",
    )
)
#: A date without marks, such as 20240131: all of a column must be one.
_COMPACT_DATE = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
_CODES = (9, 77, 777, 7777, 77777, 88, 888, 8888, 88888, 99, 999, 9999, 99999)
#: What stands for "not known" in many tables, if it is far from all other numbers of its column.
CODES = frozenset([*_CODES, *(-code for code in _CODES), -1])
#: In a column with fewer different numbers than this they are categories rather than measurements.
_FEW = 10


# A table of texts --------------------------------------------------------------------------------


def is_name(column: str) -> bool:
    """Return whether a column's own name says that it holds names.

    >>> is_name("participant_id"), is_name("Site"), is_name("age")
    (True, True, False)
    """
    lower = column.lower()
    return lower in SITES or pd.Series([lower]).str.fullmatch(_NAMED).item()


def typed(texts: pd.DataFrame, names: Iterable[str] = (), codes: Iterable[object] = ()):
    """Return a table of texts with a type for each column, and keep what was written next to it.

    Parameters
    ----------
    texts : pandas.DataFrame
        As the file has them; what is missing may be NaN or a text that means it (`MISSING`).
    names : iterable of str
        Columns of names, in addition to those that are called so (`is_name`): they stay texts.
    codes : iterable
        What else is missing: numbers, wherever they are written in a column of numbers, or texts.

    Returns
    -------
    pandas.DataFrame
        Columns of numbers, of conditions (True and False), and of texts. A column of which more
        than half are numbers, but not all, stays text, and is an error where numbers are needed.
        Whole numbers of 16 digits and more are names.

    Examples
    --------
    >>> texts = {"age": ["7", "."], "who": ["1.1", "1.10"], "drug": ["A", "NA"]}
    >>> table = typed(pd.DataFrame(texts))
    >>> table["age"].tolist(), identifiers(table, "who").tolist(), table["drug"].tolist()
    ([7.0, nan], ['1.1', '1.10'], ['A', 'NA'])
    """
    found: dict[str, pd.Series] = {}
    names = set(names)
    codes = tuple(codes)
    texts = as_written(texts)
    for name in texts.columns:
        found |= _typed(str(name), texts[name], name in names, codes)
    return pd.DataFrame(found, index=texts.index)


def _typed(name, texts, named, codes):
    """Return a column's type, under its name, and our own columns that belong to it."""
    # 1. What is missing in any column, and the user's own codes for it.
    texts = _without(texts.astype("str"), MISSING)
    texts = _without(texts, {str(code) for code in codes})
    named = named or name.lower() in SITES
    # -99.0 means -99, but the person 099 is not the person 99.
    if codes and not (named or is_name(name)):
        values = pd.to_numeric(texts.astype(object), errors="coerce")
        texts = texts.mask(values.isin(pd.to_numeric(pd.Series(codes), errors="coerce").dropna()))
    # 2. NA, None and dots are missing among numbers only: elsewhere they may be a site or a drug.
    rest = _without(texts, WORDS)
    known = rest.dropna()
    if named or is_name(name):
        # SUB_ID > 50000 is a condition on numbers, but 001 is another person than 1.
        if named or known.empty or not known.str.fullmatch(_PLAIN).all():
            return {name: texts}
        return {name: _to_numbers(rest), _WRITTEN + name: texts}
    if known.empty:
        # Groups may be called NA and None; one of these alone is nothing.
        if texts.nunique() > 1:
            return {name: texts}
        return {name: rest}
    # 3. The first type that all known entries have. Names before numbers: a number that was meant
    # as a name would lose its digits.
    if known.str.fullmatch(_TOO_LONG).any():
        return {name: texts}
    if known.str.fullmatch(_NUMBER).all():
        return {name: _to_numbers(rest), _WRITTEN + name: rest}
    if known.isin(["True", "False", "TRUE", "FALSE"]).all():
        values = rest.map({"True": True, "TRUE": True, "False": False, "FALSE": False})
        kind = "bool"
        # Only the nullable type can hold a missing condition.
        if len(known) < len(rest):
            kind = "boolean"
        return {name: values.astype(kind), _WRITTEN + name: rest}
    if _mostly_dates(known):
        return {name: rest}
    if _mostly_numbers(known):
        odd = rest.notna() & ~_are_numbers(rest)
        return {name: rest, _ODD + name: odd}
    return {name: texts}


def codes_nowhere(texts: pd.DataFrame, codes: Iterable[object]) -> list[object]:
    """Return those codes for "not known" that no column of a table of texts holds.

    >>> codes_nowhere(pd.DataFrame({"iq": ["101", "-99.0"]}), [-99, 77])
    [77]
    """
    entries = pd.Series(texts.to_numpy().ravel(), dtype=object).dropna().astype(str)
    values = pd.to_numeric(entries, errors="coerce").dropna()
    numeric = pd.to_numeric(pd.Series([*codes], dtype=object), errors="coerce")
    known = set(entries)
    return [
        code
        for code, number in zip(codes, numeric, strict=True)
        if str(code) not in known and number not in set(values)
    ]


def _without(texts, missing):
    return texts.mask(texts.isin(missing))


def _to_numbers(texts):
    values = pd.to_numeric(texts.astype(object))
    if values.dtype.kind in "iuf":
        return values
    return values.astype(float)


def _are_numbers(texts):
    """Return whether texts are numbers; what is missing is none."""
    return texts.astype("str").str.fullmatch(_NUMBER).eq(True)


def _mostly_numbers(known):
    looks = known.str.fullmatch(f"{_NUMBER}|{_DECIMAL_COMMA}")
    return looks.sum() * 2 > len(known)


def _mostly_dates(known):
    return known.str.fullmatch(_DATE).sum() * 2 > len(known) > 0


def columns_of(table: pd.DataFrame) -> list[str]:
    """Return the names of the columns that a user knows, without our own."""
    return [name for name in table.columns if not str(name).startswith(PREFIX)]


def own_columns(table: pd.DataFrame) -> list[str]:
    """Return the names of the columns that a user's table has itself.

    >>> table = with_internal(pd.DataFrame({"sex": ["x"]}), "SEX", ["F"])
    >>> own_columns(table), columns_of(table)
    (['sex'], ['sex', 'SEX'])
    """
    return [name for name in columns_of(table) if _ADDED + str(name) not in table]


def check_column(table: pd.DataFrame, column: str, where: object = "the table") -> None:
    """Raise InputError unless a table has a column; `where`: what the message begins with."""
    if column in columns_of(table):
        return
    own = own_columns(table)
    raise InputError(
        f"{where} has no column {column!r}{did_you_mean(column, own)}; it has "
        f"{in_words(map(repr, own), most=30)}"
    )


def as_written(table: pd.DataFrame) -> pd.DataFrame:
    """Return a typed table as it was written, which `typed` makes the same table of.

    >>> table = typed(pd.DataFrame({"who": ["1.10", "n/a"]}))
    >>> as_written(table)["who"].tolist()
    ['1.10', nan]
    """
    shown = [name for name in table.columns if not str(name).startswith((_WRITTEN, _ODD))]
    return pd.DataFrame({name: table.get(_WRITTEN + name, table[name]) for name in shown})


def internal(table: pd.DataFrame, name: str) -> pd.Series:
    """Return what the workflow keeps under one of ABIDE's names, even if the user has that column.

    >>> table = pd.DataFrame({"SUB_ID": [50003], f"{PREFIX}SUB_ID": [1]})
    >>> internal(table, "SUB_ID").item()
    1
    """
    if PREFIX + name in table:
        name = PREFIX + name
    return table[name]


def has_internal(table: pd.DataFrame, name: str) -> bool:
    """Return whether there is a column for `internal`."""
    return PREFIX + name in table or name in table


def with_internal(table: pd.DataFrame, name: str, values: Any) -> pd.DataFrame:
    """Return a table with a column for `internal`; a user's column of this name stays as it is.

    >>> columns = with_internal(pd.DataFrame({"SEX": ["x"]}), "SEX", ["F"]).columns
    >>> columns.tolist()
    ['SEX', 'contrast-subgraphs:SEX']
    """
    values = pd.Series(values, index=table.index)
    if name not in table:
        return table.assign(**{name: values, _ADDED + name: True})
    if not table[name].astype(object).equals(values.astype(object)):
        name = PREFIX + name
    return table.assign(**{name: values})


def doubts(table: pd.DataFrame, where: object) -> Iterator[str]:
    """Yield a sentence for each column with entries that may mean "not known", or look alike.

    `where`: the beginning of each sentence.

    >>> list(doubts(typed(pd.DataFrame({"iq": ["101", "97", "-999"]})), "a.csv"))[0][:40]
    'a.csv: the column iq holds -999, taken a'
    """
    for name in own_columns(table):
        alike = _look_alike(written(table, name))
        if alike:
            yield (
                f"{where}: the column {name} holds {in_words(map(ascii, alike))}, which look alike "
                "and are not the same: correct the table if they should be"
            )
        codings = _two_codings(table, name)
        if codings:
            yield f"{where}: the column {name} {codings}"
        found = _doubtful(table, name)
        if found:
            listed = ", ".join(found)
            yield (
                f"{where}: the column {name} holds {in_words(found)}, taken as it stands. If it "
                f"means that something is not known: missing_codes: [{listed}] (--missing-codes "
                f"{','.join(found)})"
            )


def _look_alike(column):
    """Return the first two entries of a column that look the same but are not; else none."""
    seen = {}
    for one in column.dropna().unique():
        if not isinstance(one, str) or (one.isascii() and "  " not in one):
            shown = one
        else:
            # Leave out signs without width, and write each accented letter as one sign.
            kept = (sign for sign in one if unicodedata.category(sign) != "Cf")
            shown = " ".join(unicodedata.normalize("NFC", "".join(kept)).split())
        other = seen.setdefault(shown, one)
        if other != one:
            return [other, one]
    return []


def _two_codings(table, name):
    """Return what looks like two codings of one thing in a column of categories; "" without any."""
    # Persons may be called as they like, sites are categories.
    if (is_name(name) and name.lower() not in SITES) or is_date(table[name]):
        return ""
    texts = written(table, name).dropna().astype("str").str.strip()
    if _ODD + name in table:
        return ""
    numeric = pd.api.types.is_numeric_dtype(table[name]) and table[name].nunique() >= _FEW
    # 7 and 7.0 are the same age, 1 and 01 are never the same group.
    if numeric and not texts.str.fullmatch("0[0-9]+").any():
        return ""
    return _mixed_coding(texts)


def _mixed_coding(texts):
    """Say which categories may be the same in two codings; else "".

    They are M and m, or 1 and 01, or M, F and 1, 2.
    """
    texts = _without(texts, MISSING | WORDS).dropna()
    levels = pd.Series(sorted(set(texts)), dtype="str")
    numeric = levels.str.fullmatch(_NUMBER)
    same = levels.str.casefold()
    same[numeric] = levels[numeric].map(float).map(repr)
    spellings = levels.groupby(same).agg(list)
    several = [found for found in spellings if len(found) > 1]
    end = "each is a category of its own. Correct the table if they mean the same"
    if several:
        how = "differ only by capitals"
        if several[0][0] in set(levels[numeric]):
            how = "are the same number"
        return f"holds {in_words(several[0])}, which {how}: {end}"
    if numeric.any() and not numeric.all():
        return (
            f"holds words ({in_words(levels[~numeric], most=3)}) and numbers "
            f"({in_words(levels[numeric], most=3)}): {end}"
        )
    return ""


def _doubtful(table, name):
    """Return the entries of a column that may be codes, or words, for "not known"."""
    if is_name(name):
        return []
    if _WRITTEN + name in table:
        return [f"{code:g}" for code in _codes_apart(table[name])]
    # Such a column is an error where numbers are asked for, so nothing is said here.
    if _ODD + name in table:
        return []
    texts = set(table[name].dropna())
    # If these words are all that the column holds, they are names of groups.
    if not texts - WORDS:
        return []
    return sorted(texts & {"NA", "None", "NULL", "null"})


def _codes_apart(column):
    """Return the codes in a column that are further from the other numbers than these spread."""
    if column.dtype.kind not in "iuf":
        return []
    values = np.unique(column.dropna())
    codes = np.isin(values, list(CODES))
    others = values[~codes]
    found = values[codes]
    if not len(others):
        return []
    low = others.min()
    high = others.max()
    spread = high - low
    # An age of 99 among ages of 60 to 97 is an age, among ages of 7 to 12 it is a code. A negative
    # code among numbers of which none is negative is always one.
    away = np.maximum(low - found, found - high)
    only_negative = (found < 0) & (low >= 0)
    # -1, 0 and 1 may be three values of a score.
    score = (found == -1) & (high <= 1)
    return found[((away > max(spread, 1)) | only_negative) & ~score].tolist()


def gaps(columns: Any, index: Any = None) -> pd.Series:
    """Say for each row which columns are missing ("" if none): who is left out, and why.

    `columns`: a data frame, or a mapping of names to values; `index`: that of the rows, since a
    mapping without columns has none.

    >>> gaps({"age": [8, None, None], "sex": ["f", "m", None]}).tolist()
    ['', 'age not known', 'age, sex not known']
    """
    missing = {str(name): missing_entries(columns[name]) for name in columns}
    if index is None:
        index = getattr(columns, "index", None)
    if index is None:
        index = range(max(map(len, missing.values()), default=0))
    said = []
    for row in range(len(index)):
        names = [name for name, gone in missing.items() if gone[row]]
        reason = ""
        if names:
            reason = f"{', '.join(names)} not known"
        said.append(reason)
    return pd.Series(said, index=index, dtype=object)


# One column, by its role -------------------------------------------------------------------------


def missing_entries(values: Any) -> np.ndarray:
    """Return for each entry whether it is missing: None, NaN, masked, or another of pandas' kind.

    Looked up before NumPy makes an array of one type, in which ``["a", None]`` may hold "None".

    >>> missing_entries(["a", None, float("nan"), pd.NaT]).tolist()
    [False, True, True, True]
    >>> missing_entries(np.ma.masked_equal([1, 9], 9)).tolist()
    [False, True]
    """
    if np.ma.isMaskedArray(values):
        masked = np.ma.getmaskarray(values)
        return masked | missing_entries(values.data)
    if isinstance(values, (list, tuple)) and any(one is np.ma.masked for one in values):
        values = [None if one is np.ma.masked else one for one in values]
    try:
        return np.asarray(pd.isna(np.asarray(values, dtype=object)))
    except ValueError as error:
        raise InputError(f"there must be one entry for each graph ({error})") from error


def _objects(values, called, n=None):
    """Return a column as an array of objects, None for what is missing, and which these are."""
    missing = missing_entries(values)
    if missing.ndim != 1 or (n is not None and len(missing) != n):
        each = "graph"
        if n is not None:
            each = f"of {n} graphs"
        raise InputError(f"{called} must hold one entry for each {each}")
    objects = np.empty(len(missing), dtype=object)
    if np.ma.isMaskedArray(values):
        values = values.data
    objects[:] = [None if gone else one for one, gone in zip(list(values), missing, strict=True)]
    return objects, missing


def numbers(values: Any, called: str, n: int | None = None) -> np.ndarray:
    """Return a column as floats, NaN where it is missing, or raise InputError.

    Parameters
    ----------
    values : array_like of shape (n,), or pandas.DataFrame
        Numbers, or texts that are numbers. From a table of `typed`, the column `called` is taken.
    called : str
        Its name.
    n : int, optional
        How many there must be.

    Examples
    --------
    >>> numbers(["1", None, 2.5], "dose").tolist()
    [1.0, nan, 2.5]
    """
    if isinstance(values, pd.DataFrame):
        values = values[called]
    if getattr(values, "dtype", None) == "category":
        raise InputError(f"{called} must hold numbers, and is categories")
    dtype = getattr(values, "dtype", None)
    numeric = isinstance(dtype, np.dtype) and dtype.kind in "iuf"
    if numeric and not np.ma.isMaskedArray(values) and np.ndim(values) == 1:
        found = np.asarray(values, dtype=float)
        if n is not None and len(found) != n:
            raise InputError(f"{called} must hold one number for each of {n} graphs")
        _check_not_dates(pd.Series(np.asarray(values)), called)
    else:
        objects, missing = _objects(values, called, n)
        found = np.full(len(objects), np.nan)
        found[~missing] = _floats(objects[~missing], called, found, missing)
    if np.isinf(found).any():
        raise InputError(f"{called} holds a number that is not finite")
    return found


def _floats(objects, called, found, missing):
    """Return known entries as floats; texts are read by the rule of tables."""
    given = pd.Series(objects, dtype=object)
    _check_not_dates(given, called)
    texts = given.map(lambda one: isinstance(one, str))
    if texts.any():
        words = given[texts].str.strip()
        words = words.mask(words.isin(MISSING | WORDS))
        _check_numbers(words, called, len(missing))
        given[texts] = pd.to_numeric(words)
    wrong = given.map(lambda one: isinstance(one, (complex, np.complexfloating, np.timedelta64)))
    try:
        if wrong.any():
            raise TypeError(f"not {given[wrong].iloc[0]!r}")
        return given.astype(float).to_numpy()
    except (TypeError, ValueError) as error:
        raise InputError(f"{called} must hold numbers ({error})") from error


def _check_numbers(words, called, n):
    """Raise InputError if some texts are not numbers; show the first of them and the way out."""
    odd = words[words.notna() & ~_are_numbers(words)]
    if odd.empty:
        return
    shown = in_words((repr(one) for one in dict.fromkeys(odd)), most=3)
    way = "correct them, or if they mean that it is not known: missing_codes (--missing-codes)"
    if odd.str.fullmatch(_DECIMAL_COMMA).all():
        way = "write decimal points instead of commas"
    what = "are not numbers"
    if len(odd) == 1:
        what = "is not a number"
    raise InputError(
        f"{called} must hold numbers: {shown} {what} ({len(odd)} of {n} entries); {way}"
    )


def is_date(values: Any) -> bool:
    """Return whether a column holds dates, as such or as texts.

    >>> is_date(["2024-01-31", None, "2023-12-01"]), is_date(["31 mg", "2 mg"])
    (True, False)
    """
    if isinstance(values, pd.Series):
        series = values
    else:
        series = pd.Series(values, dtype=object)
    if series.dtype.kind == "M":
        return True
    # Missing entries say nothing about what the others are.
    known = series[~missing_entries(series)]
    if known.empty:
        return False
    if series.dtype == object:
        known = known.infer_objects()
    if known.dtype.kind in "iuf":
        first = known.iloc[0]
        if not 18_000_101 <= first <= 22_000_000 or (known % 1).any():
            return False
        return bool(known.map("{:.0f}".format).str.fullmatch(_COMPACT_DATE).all())
    if known.map(lambda one: hasattr(one, "year") or isinstance(one, np.datetime64)).all():
        return True
    texts = known[known.map(lambda one: isinstance(one, str))].astype("str").str.strip()
    if len(texts) < len(known):
        return False
    return bool(_mostly_dates(texts) or texts.str.fullmatch(_COMPACT_DATE).all())


def is_iso_date(values: pd.Series) -> bool:
    """Return whether texts are dates that are in order as texts, such as 2024-01-31."""
    known = values.dropna().astype("str")
    return bool(known.str.fullmatch(_ISO_DATE).all())


def _check_not_dates(series, called):
    if is_date(series):
        first = series[~missing_entries(series)].iloc[0]
        raise InputError(
            f"{called} holds dates, such as {first}: they are neither numbers nor categories; give "
            "the days, or years, since a first one"
        )


def covariate(values: Any, called: str, n: int | None = None) -> pd.Series:
    """Return a covariate: numbers as floats, or categories as texts of the type category.

    Parameters
    ----------
    values : array_like of shape (n,), or pandas.DataFrame
        Numbers, or categories: texts, or `pandas.Categorical`, which may hold numbers. From a table
        of `typed`, the column `called` is taken.
    called : str
        Its name.
    n : int, optional
        How many there must be.

    Returns
    -------
    pandas.Series
        NaN where it is missing.

    Raises
    ------
    InputError
        If the column holds dates, if most but not all entries are numbers, or if numbers are
        written as texts, which may mean either.

    Examples
    --------
    >>> covariate([1, 2, None], "age").tolist()
    [1.0, 2.0, nan]
    >>> covariate(pd.Categorical([1, 2, 3]), "scanner").tolist()
    ['1', '2', '3']
    """
    from_table = isinstance(values, pd.DataFrame)
    if from_table:
        # This must hold even when the people with the odd entries have been left out: whether a
        # column is numbers does not depend on who is analyzed.
        if _ODD + called in values:
            return pd.Series(numbers(values, called, n))
        if is_name(called):
            values = written(values, called)
        else:
            values = values[called]
    if is_name(called) or getattr(values, "dtype", None) == "category":
        return _categories(values, called, n)
    objects, missing = _objects(values, called, n)
    entries = pd.Series(objects[~missing], dtype=object)
    texts = _without(_texts(entries), MISSING | WORDS).dropna()
    if not len(_texts(entries)):
        return pd.Series(numbers(values, called, n))
    _check_not_dates(entries, called)
    others = len(entries) - len(_texts(entries))
    numeric = others + texts.str.fullmatch(f"{_NUMBER}|{_DECIMAL_COMMA}").sum()
    if numeric * 2 > others + len(texts):
        _check_numbers(texts, called, len(objects))
        raise InputError(
            f"{called} holds numbers as texts, such as {texts.iloc[0]!r}: make them numbers, or "
            "pandas.Categorical if they are categories"
        )
    _check_units(texts, called)
    codings = _mixed_coding(texts)
    # For a table this was said when it was read (`doubts`).
    if codings and not from_table:
        warnings.warn(f"{called} {codings}", stacklevel=2)
    return _categories(values, called, n)


def _check_units(texts, called):
    """Raise InputError for many different numbers with a unit: each would be a category.

    A few, such as 1.5T and 3T, are categories.
    """
    units = texts.str.extract(rf"^{_NUMBER} *([^\W\d_]+|%)$", expand=False).dropna()
    if len(units) * 2 > len(texts) and units.nunique() == 1 and texts.nunique() >= _FEW:
        raise InputError(
            f"{called} holds numbers with a unit, such as {texts[units.index[0]]!r}: write the "
            "numbers alone, or make them pandas.Categorical if they are categories"
        )


def covariates_of(table: pd.DataFrame, names: Iterable[str]) -> dict[str, pd.Series]:
    """Return columns of a table as covariates, by their names (see `covariate`).

    >>> table = pd.DataFrame({"age": [7, 9], "site": ["1", "2"]})
    >>> [values.tolist() for values in covariates_of(table, ["age", "site"]).values()]
    [[7.0, 9.0], ['1', '2']]
    """
    return {name: covariate(table, name) for name in names}


def _texts(entries):
    """Return those entries that are texts."""
    texts = entries[[isinstance(one, str) for one in entries]]
    return texts.astype("str").str.strip()


def _categories(values, called, n):
    """Return categories as texts."""
    objects, missing = _objects(values, called, n)
    texts = np.array([_text(one) for one in objects], dtype=object)
    missing = missing | np.isin(texts.astype(str), list(MISSING))
    texts[missing] = np.nan
    return pd.Series(pd.Categorical(texts, categories=sorted(set(texts[~missing]))))


def written(table: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of a typed table as it was written, texts, NaN where it is missing."""
    return table.get(_WRITTEN + name, table[name])


def identifiers(values: Any, called: str, n: int | None = None) -> np.ndarray:
    """Return each graph's person, or block, as text; None where that is missing.

    Parameters
    ----------
    values : array_like of shape (n,), or pandas.DataFrame
        Names, as texts or numbers. From a table of `typed`, the column `called` is taken as it was
        written.
    called : str
        What they are called.
    n : int, optional
        How many there must be.

    Examples
    --------
    >>> identifiers(["a", None, 7, ""], "person").tolist()
    ['a', None, '7', None]
    """
    if isinstance(values, pd.DataFrame):
        values = written(values, called)
    objects, _ = _objects(values, called, n)
    # An array of objects begins as all None.
    found = np.empty(len(objects), dtype=object)
    for place, one in enumerate(objects):
        text = _text(one)
        if one is not None and text.strip() not in MISSING:
            found[place] = text
    return found


#: Among no more persons than this, no number is far from the others.
_FEWEST = 3
#: Words and codes that mean "not known" rather than a person.
NOBODY = frozenset(
    {
        "unknown",
        "not known",
        "none",
        "na",
        "n.a.",
        "n.a",
        "n/a",
        "null",
        "?",
        ".",
        "-",
        "--",
        "missing",
    }
)


def persons(values: Any, called: str) -> np.ndarray:
    """Return `identifiers` of persons; raise InputError if several are called "not known".

    Their graphs would be taken for those of one person.

    >>> persons(["ann", "ann", None], "who").tolist()
    ['ann', 'ann', None]
    """
    found = identifiers(values, called)
    check_nobody(found, called)
    return found


def check_nobody(names: Iterable[str | None], called: str) -> None:
    """Raise InputError if several graphs are of a person whose name means "not known".

    >>> check_nobody(["1", "1", "2", "2"], "who")
    """
    counts = Counter(name for name in names if name is not None)
    codes = _codes_of_nobody(list(counts))
    for name, count in counts.items():
        if count > 1 and (name.strip().lower() in NOBODY or name in codes):
            raise InputError(
                f"{called} holds {name!r} {count} times, which would be one person. If it means "
                f"that the person is not known: missing_codes: [{name!r}] (--missing-codes {name}),"
                " or leave these graphs out; if it is a person, give another name, such as "
                f"p{name.strip('-')}"
            )


def _codes_of_nobody(names):
    """Return which of some persons' names are codes for "not known" among other numbers.

    They are negative, or 0 or a usual code far from all other numbers.
    """
    values = pd.Series(names, dtype=object).astype("str")
    values = values[values.str.fullmatch(_NUMBER)].map(float)
    others = values[~values.isin([*CODES, 0]) & (values >= 0)]
    # Three persons are too few to say what is far.
    if len(others) <= _FEWEST:
        return {names[k] for k in values.index[values < 0]}
    away = np.maximum(others.min() - values, values - others.max())
    far = values.isin([*CODES, 0]) & (away > np.ptp(others))
    return {names[k] for k in values.index[far | (values < 0)]}


def whole_identifiers(values: Any, called: str, n: int | None = None) -> np.ndarray:
    """Return `identifiers` as an array of texts; raise InputError if any is missing.

    >>> whole_identifiers([2, 10, 2], "block").tolist()
    ['2', '10', '2']
    """
    found = identifiers(values, called, n)
    lost = sum(one is None for one in found)
    if lost:
        raise InputError(
            f"the {called.removesuffix('s')} of {lost} of {plural(len(found), 'subject')} is "
            "missing: leave them out"
        )
    return found.astype(str)


def groups(table: pd.DataFrame, name: str) -> pd.Series:
    """Return a column of groups as it was written, NaN for people in no group.

    >>> groups(typed(pd.DataFrame({"dx": ["1", "2", "n/a"]})), "dx").tolist()
    ['1', '2', nan]
    """
    values = pd.Series(identifiers(table, name), index=table.index, dtype=object)
    return values.where(values.notna(), np.nan)


def _text(value):
    """Return a name as text. 1.0 is 1: one missing entry turns a whole column into floats."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def in_expression(table: pd.DataFrame, name: str) -> tuple[str, Any]:
    """Return what a column is in an expression, and its nullable array.

    It is a ``number``, ``text`` or ``condition``, ``mixed`` for texts of which most are numbers, or
    ``any`` where all is missing.

    >>> in_expression(typed(pd.DataFrame({"dx": ["1", "2"]})), "dx")[0]
    'number'
    """
    column = table[name]
    if missing_entries(column).all():
        return "any", pd.array([pd.NA] * len(table), dtype="Float64")
    if pd.api.types.is_bool_dtype(column):
        return "condition", column.astype("boolean").array
    if pd.api.types.is_numeric_dtype(column):
        return "number", column.astype("Float64").array
    kind = "text"
    if _ODD + name in table and table[_ODD + name].any():
        kind = "mixed"
    return kind, column.astype("string").array


def is_number(column: pd.Series) -> bool:
    """Return whether a typed column, or one that was read, holds numbers or conditions."""
    return bool(pd.api.types.is_numeric_dtype(column))
