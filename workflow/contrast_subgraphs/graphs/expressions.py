"""Conditions over the columns of the phenotypes, as the config writes them."""

import ast
import difflib
import functools
import operator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..core.checks import in_words
from ..core.columns import in_expression, is_date, is_iso_date, missing_entries, numbers
from ..core.errors import InputError

# The most characters of an expression.
MAX_EXPRESSION = 2000


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
_JOIN = {ast.And: operator.and_, ast.Or: operator.or_}
_ALLOWED = (
    "columns, numbers, 'texts', comparisons (also a < COLUMN <= b), `in (...)`, and, or, not, "
    "+ - * / %, isna(COLUMN), notna(COLUMN)"
)


def check_expression(text, columns=None):
    """Raise an `InputError` if `text` is not an expression that can be evaluated.

    `columns`: the known ones; without them, names are not checked.
    """
    tree = _parse(text)
    known = None
    if columns is not None:
        known = list(columns)
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for name in names:
        if known is not None and name not in (*known, "isna", "notna"):
            raise _unknown(name, text, known)
    # Columns of unknown kind are enough to find every other mistake without data.
    stand_in = pd.DataFrame({name: pd.Series([], dtype=object) for name in {*names}})
    _result(tree, _Scope(text, stand_in))


def evaluate(text, phenotypes):
    """Evaluate an expression over the columns of the phenotypes.

    No code is run: the expression is parsed and only what is listed below is evaluated.
    A comparison with a missing value is neither true nor false, and so is its negation
    (Kleene's logic): a subject with an unknown age is in no cohort chosen by age.
    """
    return _result(_parse(text), _Scope(text, phenotypes))


def _result(tree, scope):
    try:
        kind, value = scope.value(tree.body)
    except RecursionError as error:
        raise scope.refuse("it is nested too deeply") from error
    if kind != "condition":
        what = "a value"
        if kind != "any":
            what = f"a {kind}"
        raise scope.refuse(f"it is {what} and not a condition that a subject can satisfy")
    return value


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
        place = ""
        if error.offset:
            place = f" at character {error.offset}"
        raise InputError(
            f"the expression `{text}` cannot be understood{place}: {error.msg}{hint}"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"the expression `{text[:60]}` cannot be understood: {error}") from error


def _unknown(name, text, columns):
    named = sorted(column for column in columns if column.isidentifier())
    lower = {column.lower(): column for column in columns}
    near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
    close = ""
    if near:
        close = f"; did you mean {in_words((lower[n] for n in near), 'or')}?"
    return InputError(
        f"the expression `{text}` uses the column {name!r}, which the phenotypes do not have"
        + (close or f". They have: {', '.join(named)}")
    )


@dataclass(frozen=True)
class _Scope:
    """An expression and the table over whose columns it is evaluated.

    Each part has a kind (``number``, ``text``, ``condition``, or ``any`` for a column without
    entries) and a nullable array.
    """

    text: str
    table: pd.DataFrame

    def refuse(self, why):
        return InputError(f"the expression `{self.text}` cannot be used: {why}")

    def fill(self, value, dtype):
        return pd.array([value] * len(self.table), dtype=dtype)

    def value(self, node):
        """Return the kind and the array of a part of the expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return self.constant(value)
            case ast.Name(id=name):
                return self.column(name)
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return "condition", ~self.condition(part)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return "number", -self.number(part)
            case ast.UnaryOp(op=ast.UAdd(), operand=part):
                return "number", self.number(part)
            case ast.BoolOp(op=sign, values=parts):
                return "condition", functools.reduce(_JOIN[type(sign)], map(self.condition, parts))
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
                return "number", self.arithmetic(left, sign, right)
            case ast.Compare(left=left, ops=signs, comparators=others):
                pairs = zip([left, *others], signs, others, strict=False)
                return "condition", functools.reduce(
                    operator.and_, (self.compare(*pair) for pair in pairs)
                )
            case ast.Call(func=ast.Name(id="isna"), args=[part], keywords=[]):
                return "condition", self.missing(part)
            case ast.Call(func=ast.Name(id="notna"), args=[part], keywords=[]):
                return "condition", ~self.missing(part)
        raise self.not_allowed(node)

    def constant(self, value):
        # A truth is a whole number too, so that it comes first.
        if isinstance(value, bool):
            return "condition", self.fill(value, "boolean")
        if isinstance(value, str):
            return "text", self.fill(value, "string")
        try:
            return "number", self.fill(float(value), "Float64")
        except OverflowError as error:
            raise self.refuse("a number in it is too large") from error

    def arithmetic(self, left, sign, right):
        with np.errstate(all="ignore"):
            found = _ARITHMETIC[type(sign)](self.number(left), self.number(right))
        # 1 / 0 and 0 / 0 count as missing.
        found[~np.isfinite(found.to_numpy(float, na_value=np.nan))] = pd.NA
        return found

    def missing(self, node):
        return pd.array(missing_entries(self.value(node)[1]), dtype="boolean")

    def not_allowed(self, node):
        """Return the error for a part that expressions do not have, with what was meant."""
        hint = ""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            hint = "; write `and`, `or`"
        elif isinstance(node, ast.UnaryOp):
            hint = "; write `not` for a negation"
        return self.refuse(
            f"`{ast.unparse(node)}` is not allowed{hint or f'; allowed are {_ALLOWED}'}"
        )

    def column(self, name):
        if name not in self.table:
            raise _unknown(name, self.text, self.table.columns)
        return in_expression(self.table, name)

    def condition(self, node):
        kind, value = self.value(node)
        if kind not in ("condition", "any"):
            raise self.refuse(f"`{ast.unparse(node)}` is a {kind}, not a condition")
        if kind == "condition":
            return value
        return self.fill(pd.NA, "boolean")

    def number(self, node):
        kind, value = self.value(node)
        if kind == "mixed":
            raise self.mostly_numbers(node)
        if kind not in ("number", "any"):
            raise self.refuse(f"`{ast.unparse(node)}` is a {kind}, not a number")
        return value

    def mostly_numbers(self, node):
        """Return the error for a column that is mostly numbers, but not only."""
        try:
            numbers(self.table, node.id)
        except InputError as error:
            return self.refuse(str(error))
        raise AssertionError(f"{node.id} is numbers")

    def check_order(self, node, sign):
        """Raise InputError for dates that are not in order as texts, such as 31.1.2024."""
        ordered = isinstance(sign, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
        if not ordered or not isinstance(node, ast.Name):
            return
        column = self.table[node.id]
        if is_date(column) and not is_iso_date(column):
            raise self.refuse(f"`{node.id}` holds dates: only those like 2024-01-31 have an order")

    def compare(self, left, sign, right):
        match sign, right:
            case ((ast.In() | ast.NotIn()), (ast.Tuple() | ast.List() | ast.Set())) if right.elts:
                equal = (self.compare(left, ast.Eq(), item) for item in right.elts)
                found = functools.reduce(operator.or_, equal)
                if isinstance(sign, ast.NotIn):
                    return ~found
                return found
            case ((ast.In() | ast.NotIn()), _):
                raise self.refuse(
                    "after `in` must come a list of values, such as (1, 2), not "
                    f"`{ast.unparse(right)}`"
                )
            case ((ast.Is() | ast.IsNot()), _):
                raise self.refuse("`is` is not allowed; write ==, or isna(COLUMN)")
        kind, first = self.value(left)
        other, second = self.value(right)
        if "any" in (kind, other):
            return self.fill(pd.NA, "boolean")
        # A column that is mostly numbers, compared with a number: compared as text, 10 would be
        # below 9.
        for node, own, its in ((left, kind, other), (right, other, kind)):
            if own == "mixed" and its == "number":
                raise self.mostly_numbers(node)
            if own == "text":
                self.check_order(node, sign)
        kind, other = (one.replace("mixed", "text") for one in (kind, other))
        if {kind, other} not in ({"number"}, {"text"}):
            raise self.refuse(
                f"`{ast.unparse(left)}` is a {kind} and `{ast.unparse(right)}` a {other}: "
                "they cannot be compared (texts are written in quotes)"
            )
        return pd.array(_COMPARE[type(sign)](first, second), dtype="boolean")
