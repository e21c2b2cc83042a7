"""Conditions over the columns of the phenotypes, as the config writes them."""

import ast
import difflib
import operator

import numpy as np
import pandas as pd

from ..core.errors import InputError

MAX_EXPRESSION = 2000  # characters


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
