"""Phenotypes, and the cohorts that expressions over them select."""

import ast
import difflib
import operator
import os

import numpy as np
import pandas as pd

from .errors import InputError
from .graphs import GROUPS, CohortGraphs

#: What stands in ``FILE_ID`` for a subject without preprocessed images.
NO_FILE = "no_filename"
#: How ABIDE writes a missing value.
MISSING = ("-9999", "-9999.0")
#: The column that `read_phenotypes` adds.
AGE_YEARS = "AGE_YEARS"
#: What the quality columns must hold for nilearn's ``quality_checked``.
QUALITY = {
    "qc_rater_1": ("OK",),
    "qc_anat_rater_2": ("OK", "maybe"),
    "qc_func_rater_2": ("OK", "maybe"),
    "qc_anat_rater_3": ("OK",),
    "qc_func_rater_3": ("OK",),
}
MAX_EXPRESSION = 2000  # characters


def read_phenotypes(path):
    """Read a phenotypic file of the ABIDE release.

    Parameters
    ----------
    path : str or pathlib.Path
        CSV with at least ``SITE_ID``, ``SUB_ID`` and ``FILE_ID``.

    Returns
    -------
    pandas.DataFrame
        All rows and columns; -9999 (ABIDE's missing value) is missing; with
        ``AGE_AT_SCAN`` comes ``AGE_YEARS``, rounded to whole years, halves to even.

    Raises
    ------
    InputError
        If it is no such table, has a ``FILE_ID`` or ``SUB_ID`` twice, or an age that is
        no number.
    """
    try:
        phenotypes = pd.read_csv(
            path,
            na_values=MISSING,
            dtype={"FILE_ID": str, "SITE_ID": str},
            low_memory=False,
            encoding="utf-8-sig",
        )
    except (ValueError, OSError) as error:
        raise InputError(f"the phenotypic file {path} cannot be read: {error}") from error
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read() not in (b"\n", b"\r"):
            raise InputError(
                f"the phenotypic file {path} is cut: its last line has no end. Delete it and run "
                "the same command again"
            )
    phenotypes.columns = [str(name) for name in phenotypes.columns]
    lacking = [name for name in ("SITE_ID", "SUB_ID", "FILE_ID") if name not in phenotypes]
    if lacking:
        raise InputError(
            f"the phenotypic file {path} lacks the column {', '.join(lacking)}: "
            "it is not that of the ABIDE release"
        )
    for name in ("SITE_ID", "SUB_ID", "FILE_ID"):
        if phenotypes[name].isna().any():
            row = int(np.argmax(phenotypes[name].isna().to_numpy())) + 2
            raise InputError(f"the phenotypic file {path} has no {name} in line {row}")
    for name in ("FILE_ID", "SUB_ID"):
        ids = phenotypes[name][phenotypes[name] != NO_FILE]
        if ids.duplicated().any():
            raise InputError(
                f"the phenotypic file {path} has the {name} {ids[ids.duplicated()].iloc[0]} twice: "
                "every subject must have one row"
            )
    if "AGE_AT_SCAN" in phenotypes:
        ages = pd.to_numeric(phenotypes["AGE_AT_SCAN"], errors="coerce")
        bad = ages.isna() & phenotypes["AGE_AT_SCAN"].notna()
        if bad.any():
            first = phenotypes[bad].iloc[0]
            raise InputError(
                f"the phenotypic file {path} has the age {first['AGE_AT_SCAN']!r} for the "
                f"SUB_ID {first['SUB_ID']}: it must be a number, or empty"
            )
        years = np.round(ages.to_numpy(float))
        phenotypes = phenotypes.copy().assign(AGE_AT_SCAN=ages, **{AGE_YEARS: years})
    return phenotypes


def subject_names(phenotypes):
    """Return each row's ``FILE_ID``, or ``SUB_ID <number>`` where there is no file."""
    without = phenotypes["FILE_ID"] == NO_FILE
    return phenotypes["FILE_ID"].where(~without, "SUB_ID " + phenotypes["SUB_ID"].astype(str))


def quality_ok(phenotypes):
    """Return, for each row, whether all raters let the images pass (nilearn's rule).

    Raises
    ------
    InputError
        If the phenotypes lack the raters' columns.
    """
    lacking = [name for name in QUALITY if name not in phenotypes]
    if lacking:
        raise InputError(
            f"`quality_checked: true` needs the columns {', '.join(lacking)}, which the "
            "phenotypic file lacks: set it to false"
        )
    passed = [phenotypes[name].isin(allowed).to_numpy() for name, allowed in QUALITY.items()]
    return np.logical_and.reduce(passed)


# Expressions -----------------------------------------------------------------------------

_COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_ALLOWED = (
    "columns, numbers, 'texts', comparisons (also a < COLUMN <= b), `in (...)`, and, or, not, "
    "+ - * / %, isna(COLUMN), notna(COLUMN)"
)


def check_expression(text, columns=None):
    """Raise an `InputError` if `text` is no expression that can be evaluated.

    Parameters
    ----------
    text : str
        For example ``15 <= AGE_YEARS < 20 and SITE_ID in ('NYU', 'UM_1')``.
    columns : iterable of str, optional
        The columns there are; without them, names are not checked.
    """
    tree = _parse(text)
    known = None if columns is None else list(columns)
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for name in names:
        if known is not None and name not in (*known, "isna", "notna"):
            raise _unknown(name, text, known)
    # Columns of unknown kind: every other mistake is found without any data.
    stand_in = pd.DataFrame({name: pd.Series([], dtype=object) for name in {*names}})
    _Evaluator(text, stand_in).result(tree)


def evaluate(text, phenotypes):
    """Evaluate an expression over the columns of the phenotypes.

    No code is run: the expression is parsed and only what is listed below is evaluated.
    A comparison with a missing value is neither true nor false, and so is its negation
    (Kleene's logic): a subject with an unknown age is in no cohort chosen by age.

    Parameters
    ----------
    text : str
        Python syntax with columns, numbers, quoted texts, comparisons, ``in (...)``,
        ``and``, ``or``, ``not``, ``+ - * / %``, ``isna(COLUMN)`` and ``notna(COLUMN)``.
    phenotypes : pandas.DataFrame

    Returns
    -------
    pandas.arrays.BooleanArray of shape (n_rows,)
        True, False or missing.

    Raises
    ------
    InputError
        If it does not parse, uses anything else, names a column that is not there,
        compares a number with a text or is no condition.
    """
    return _Evaluator(text, phenotypes).result(_parse(text))


def _parse(text):
    text = str(text)
    if len(text) > MAX_EXPRESSION:
        raise InputError(f"the expression `{text[:60]}...` is too long ({len(text)} characters)")
    try:
        return ast.parse(" ".join(text.split()), mode="eval")
    except SyntaxError as error:
        hint = ""
        if "=" in text and not any(sign in text for sign in ("==", "<=", ">=", "!=")):
            hint = " (equality is written ==)"
        place = f" at character {error.offset}" if error.offset else ""
        raise InputError(
            f"the expression `{text}` cannot be understood{place}: {error.msg}{hint}"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"the expression `{text[:60]}` cannot be understood: {error}") from error


def _unknown(name, text, columns):
    lower = {column.lower(): column for column in columns}
    near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    if near:
        help_ = f"; did you mean {' or '.join(lower[n] for n in near)}?"
    else:
        named = sorted(column for column in columns if column.isidentifier())
        help_ = f". They have: {', '.join(named)}"
    return InputError(
        f"the expression `{text}` uses the column {name!r}, which the phenotypes do not have{help_}"
    )


class _Evaluator:
    """Walks the tree of one expression. Every node gives (kind, nullable array).

    The kinds are ``number``, ``text``, ``condition``, and ``any`` for a column in which
    everything is missing.
    """

    def __init__(self, text, phenotypes):
        self.text, self.phenotypes = text, phenotypes

    def result(self, tree):
        try:
            kind, value = self.visit(tree.body)
        except RecursionError as error:
            raise self.refuse("it is nested too deeply") from error
        if kind != "condition":
            what = "a value" if kind == "any" else f"a {kind}"
            raise self.refuse(f"it is {what} and not a condition that a subject can satisfy")
        return value

    def visit(self, node):
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(f"`{ast.unparse(node)}` is not allowed; allowed are {_ALLOWED}")
        return method(node)

    def refuse(self, why):
        return InputError(f"the expression `{self.text}` cannot be used: {why}")

    def fill(self, value, dtype):
        return pd.array([value] * len(self.phenotypes), dtype=dtype)

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool):
            return "condition", self.fill(value, "boolean")
        if isinstance(value, (int, float)):
            try:
                return "number", self.fill(float(value), "Float64")
            except OverflowError as error:
                raise self.refuse("a number in it is too large") from error
        if isinstance(value, str):
            return "text", self.fill(value, "string")
        raise self.refuse(f"`{ast.unparse(node)}` is not allowed; allowed are {_ALLOWED}")

    def visit_Name(self, node):
        if node.id not in self.phenotypes:
            raise _unknown(node.id, self.text, self.phenotypes.columns)
        column = self.phenotypes[node.id]
        if column.isna().all():
            return "any", self.fill(pd.NA, "Float64")
        if pd.api.types.is_bool_dtype(column):
            return "condition", column.astype("boolean").array
        if pd.api.types.is_numeric_dtype(column):
            return "number", column.astype("Float64").array
        return "text", column.astype("string").array

    def visit_UnaryOp(self, node):
        kind, value = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return "condition", ~self.condition(kind, value, node.operand)
        if isinstance(node.op, ast.USub):
            return "number", -self.number(kind, value, node.operand)
        if isinstance(node.op, ast.UAdd):
            return "number", self.number(kind, value, node.operand)
        raise self.refuse(f"`{ast.unparse(node)}` is not allowed; write `not` for a negation")

    def visit_BoolOp(self, node):
        join = operator.and_ if isinstance(node.op, ast.And) else operator.or_
        parts = [self.condition(*self.visit(part), part) for part in node.values]
        value = parts[0]
        for part in parts[1:]:
            value = join(value, part)
        return "condition", value

    def visit_BinOp(self, node):
        combine = _ARITHMETIC.get(type(node.op))
        if combine is None:
            hint = "; write `and`, `or`" if isinstance(node.op, (ast.BitAnd, ast.BitOr)) else ""
            raise self.refuse(f"`{ast.unparse(node)}` is not allowed{hint}")
        left = self.number(*self.visit(node.left), node.left)
        right = self.number(*self.visit(node.right), node.right)
        with np.errstate(all="ignore"):
            value = combine(left, right)
        # 1 / 0 and 0 / 0 are as good as missing.
        finite = np.isfinite(value.to_numpy(float, na_value=np.nan))
        value[~finite] = pd.NA
        return "number", value

    def visit_Compare(self, node):
        operands = [node.left, *node.comparators]
        value = None
        for left, sign, right in zip(operands, node.ops, operands[1:], strict=False):
            part = self.compare(left, sign, right)
            value = part if value is None else value & part
        return "condition", value

    def compare(self, left, sign, right):
        if isinstance(sign, (ast.In, ast.NotIn)):
            value = self.among(left, right)
            return ~value if isinstance(sign, ast.NotIn) else value
        if type(sign) not in _COMPARE:
            raise self.refuse("`is` is not allowed; write ==, or isna(COLUMN)")
        return self.related(_COMPARE[type(sign)], left, right)

    def related(self, compare, left, right):
        """Compare two numbers or two texts."""
        (kind, first), (other, second) = self.visit(left), self.visit(right)
        kinds = {kind, other}
        if "any" in kinds:
            return self.fill(pd.NA, "boolean")
        if kinds not in ({"number"}, {"text"}):
            raise self.refuse(
                f"`{ast.unparse(left)}` is a {kind} and `{ast.unparse(right)}` a {other}: "
                "they cannot be compared (texts are written in quotes)"
            )
        return pd.array(compare(first, second), dtype="boolean")

    def among(self, left, right):
        if not isinstance(right, (ast.Tuple, ast.List, ast.Set)) or not right.elts:
            raise self.refuse(
                f"after `in` must come a list of values, such as (1, 2), not `{ast.unparse(right)}`"
            )
        parts = [self.related(operator.eq, left, item) for item in right.elts]
        value = parts[0]
        for part in parts[1:]:
            value = value | part
        return value

    def visit_Call(self, node):
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in ("isna", "notna") or len(node.args) != 1 or node.keywords:
            raise self.refuse(f"`{ast.unparse(node)}` is not allowed; allowed are {_ALLOWED}")
        _, value = self.visit(node.args[0])
        missing = pd.array(value.isna(), dtype="boolean")
        return "condition", missing if name == "isna" else ~missing

    def condition(self, kind, value, node):
        if kind == "any":
            return self.fill(pd.NA, "boolean")
        if kind != "condition":
            raise self.refuse(f"`{ast.unparse(node)}` is a {kind}, not a condition")
        return value

    def number(self, kind, value, node):
        if kind not in ("number", "any"):
            raise self.refuse(f"`{ast.unparse(node)}` is a {kind}, not a number")
        return value


# Cohorts ---------------------------------------------------------------------------------


def group_labels(phenotypes, groups):
    """Return the group of each row: 0 = TD, 1 = ASD, -1 = neither.

    Parameters
    ----------
    phenotypes : pandas.DataFrame
    groups : dict
        Expressions for ``td`` and ``asd``.

    Raises
    ------
    InputError
        If a subject is in both groups.
    """
    td, asd = (evaluate(groups[group], phenotypes).fillna(False) for group in GROUPS)
    td, asd = np.asarray(td, dtype=bool), np.asarray(asd, dtype=bool)
    if (td & asd).any():
        name = subject_names(phenotypes)[td & asd].iloc[0]
        raise InputError(
            f"the subject {name} is in both groups: correct `groups.td` ({groups['td']}) or "
            f"`groups.asd` ({groups['asd']})"
        )
    return np.where(td, 0, np.where(asd, 1, -1))


def check_cohorts(phenotypes, groups, cohorts):
    """Raise an `InputError` for a cohort that cannot come out right, before any download.

    Parameters
    ----------
    phenotypes : pandas.DataFrame
    groups : dict
        Expressions for ``td`` and ``asd``.
    cohorts : dict
        The config's ``cohorts``: for each name a ``where``.

    Returns
    -------
    pandas.DataFrame
        ``cohort``, ``td``, ``asd``: subjects with a file, before any is left out.
    """
    y = group_labels(phenotypes, groups)
    with_file = (phenotypes["FILE_ID"] != NO_FILE).to_numpy()
    rows = []
    for name, cohort in cohorts.items():
        chosen = np.asarray(evaluate(cohort["where"], phenotypes).fillna(False), dtype=bool)
        labels = y[chosen & with_file & (y >= 0)]
        _check_classes(name, cohort["where"], labels, "with a file")
        rows.append((name, int((labels == 0).sum()), int((labels == 1).sum())))
    return pd.DataFrame(rows, columns=["cohort", "td", "asd"])


def _check_classes(cohort, where, y, kind):
    td, asd = int((y == 0).sum()), int((y == 1).sum())
    if td + asd == 0:
        raise InputError(f"the cohort {cohort} is empty: no subject {kind} satisfies `{where}`")
    if not td or not asd:
        raise InputError(
            f"the cohort {cohort} has {td} TD and {asd} ASD subjects {kind} (`{where}`): "
            "both groups are needed"
        )


def build_cohort(graphs, phenotypes, excluded, groups, cohort, where):
    """Return the graphs of the subjects that an expression selects.

    Rows are joined by ``FILE_ID``; the order of the phenotypic file does not matter.

    Parameters
    ----------
    graphs : connectome.SubjectGraphs
        Every subject that has a graph.
    phenotypes : pandas.DataFrame
        From `read_phenotypes`.
    excluded : pandas.DataFrame
        ``subject`` and ``reason`` of those that have none (`exclusions`).
    groups : dict
        Expressions for ``td`` and ``asd``.
    cohort : str
        The cohort's name, for errors.
    where : str
        The cohort's expression.

    Returns
    -------
    graphs : CohortGraphs
        TD first, then ASD; by name within a group.
    members : pandas.DataFrame
        ``subject``, ``group``, ``site``, ``age``, ``sex``, ``eyes`` in the same order.
    left_out : pandas.DataFrame
        ``subject``, ``reason``: who would belong to the cohort, or might, but does not.

    Raises
    ------
    InputError
        If the expression is wrong, a class is empty, or a subject has neither a graph nor
        a reason to have none.
    """
    names = subject_names(phenotypes)
    chosen = evaluate(where, phenotypes)
    unknown = np.asarray(chosen.isna())
    chosen = np.asarray(chosen.fillna(False), dtype=bool)
    y = group_labels(phenotypes, groups)
    available = names.isin(set(graphs.subject.tolist())).to_numpy()

    reasons = dict(zip(excluded["subject"], excluded["reason"], strict=True))
    without = names[chosen & (y >= 0) & ~available]
    orphan = [name for name in without if name not in reasons]
    if orphan:
        raise InputError(
            f"{orphan[0]} is in the phenotypic file but has neither a graph nor a reason to "
            "have none: the graphs are of other phenotypes; delete the folder `graphs` of the "
            "results and run the same command again"
        )
    left_out = pd.concat(
        [
            pd.DataFrame({"subject": without, "reason": [reasons[name] for name in without]}),
            pd.DataFrame({"subject": names[chosen & (y < 0)], "reason": "in neither group"}),
            pd.DataFrame({"subject": names[unknown], "reason": f"unknown whether {where}"}),
        ]
    ).sort_values(["reason", "subject"], ignore_index=True)

    member = chosen & (y >= 0) & available
    _check_classes(cohort, where, y[member], "with a usable graph")
    table = _members(phenotypes[member], y[member])
    taken = graphs.take(table["subject"].tolist())
    labels = np.array([GROUPS.index(group) for group in table["group"]])
    return CohortGraphs(taken.adjacency, labels, taken.subject, taken.roi), table, left_out


def _members(phenotypes, y):
    def column(name, meaning=None):
        if name not in phenotypes:
            return np.nan
        values = phenotypes[name].reset_index(drop=True)
        return values.map(meaning) if meaning else values

    table = pd.DataFrame(
        {
            "subject": phenotypes["FILE_ID"].to_numpy(str),
            "group": np.array(GROUPS)[y],
            "site": phenotypes["SITE_ID"].to_numpy(str),
        }
    )
    table["age"] = column("AGE_AT_SCAN")
    table["sex"] = column("SEX", {1: "male", 2: "female"})
    table["eyes"] = column("EYE_STATUS_AT_SCAN", {1: "open", 2: "closed"})
    order = table.assign(rank=y).sort_values(["rank", "subject"]).index
    return table.loc[order].reset_index(drop=True)


def exclusions(phenotypes, tables, quality_checked=False):
    """Return every subject of the phenotypes that has no graph, with the reason.

    Parameters
    ----------
    phenotypes : pandas.DataFrame
    tables : iterable of pandas.DataFrame
        Of each site: ``subject``, ``status`` (``used`` or else) and ``reason``
        (`connectome.site_graphs`).
    quality_checked : bool
        Whether subjects that failed the visual check of their images were left out.

    Returns
    -------
    pandas.DataFrame
        ``subject``, ``site``, ``reason``, sorted by site and subject.

    Raises
    ------
    InputError
        If a subject is in no site's table.
    """
    names = subject_names(phenotypes).tolist()
    passed = quality_ok(phenotypes) if quality_checked else np.ones(len(names), bool)
    status = pd.concat(tables, ignore_index=True)
    reasons = dict(zip(status["subject"], status["reason"], strict=True))
    used = set(status["subject"][status["status"] == "used"])
    rows = []
    for name, file, site, good in zip(
        names, phenotypes["FILE_ID"], phenotypes["SITE_ID"], passed, strict=True
    ):
        if file == NO_FILE:
            reason = "no file in the release"
        elif not good:
            reason = "failed the visual check of its images"
        elif name in used:
            continue
        elif name in reasons:
            reason = reasons[name]
        else:
            raise InputError(f"the site {site} has no series of {name} and no reason why")
        rows.append((name, site, reason))
    table = pd.DataFrame(rows, columns=["subject", "site", "reason"])
    return table.sort_values(["site", "subject"], ignore_index=True)


def count_reasons(excluded):
    """Return lines of text: how many subjects were left out for each kind of reason."""
    kinds = excluded["reason"].str.split(":").str[0]
    return [f"{count} left out: {kind}" for kind, count in kinds.value_counts().items()]
