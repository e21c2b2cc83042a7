"""Formatters and linters are satisfied, and code is written for those who read it."""

import ast
import io
import subprocess
import sys
import tokenize

import pytest

COMMANDS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "snakefmt": ["snakefmt", "--check", "Snakefile", "workflow/rules"],
    "snakemake --lint": ["snakemake", "--lint"],
    "mypy": ["mypy"],
}
#: Most (or least) of each kind in 1,000 lines of code of the package.
MOST_TUPLE_ASSIGNMENTS = 8
MOST_CONDITIONAL_EXPRESSIONS = 18
LEAST_COMMENTS = 30


@pytest.mark.parametrize("name", COMMANDS)
def test_clean(root, name):
    tool, *arguments = COMMANDS[name]
    pytest.importorskip(tool, reason="the tools of envs/requirements-dev.txt are missing")
    run = subprocess.run(
        [sys.executable, "-m", tool, *arguments], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr


def is_tuple_assignment(node):
    """Whether several values are given several names at once, which is no unpacking."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.Tuple, ast.List)):
        return False
    return any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)


def is_truth(node):
    """Whether an expression is plainly a truth."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "bool"
    return isinstance(node, (ast.Compare, ast.BoolOp))


def is_text_or_list(node):
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp))


def is_chosen_by_a_truth(node):
    """Whether a text or list is multiplied by a truth, or an entry of one is looked up by it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = (node.left, node.right)
        return any(map(is_text_or_list, sides)) and any(map(is_truth, sides))
    if isinstance(node, ast.Subscript) and is_text_or_list(node.value):
        return any(map(is_truth, ast.walk(node.slice)))
    return False


def lines_of_code(text, nodes):
    """How many lines are neither blank, nor a comment alone, nor of a docstring."""
    count = 0
    for line in text.splitlines():
        if line.strip() and not line.strip().startswith("#"):
            count += 1
    for node in nodes:
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            inside = text.splitlines()[node.body[0].lineno - 1 : node.body[0].end_lineno]
            count -= sum(1 for line in inside if line.strip() and not line.strip().startswith("#"))
    return count


def comments_of(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


@pytest.fixture(scope="module")
def measured(root):
    """Counts over the package, and what stands nowhere in it."""
    package = root / "workflow" / "contrast_subgraphs"
    counts = dict.fromkeys(("lines", "tuples", "conditional", "comments"), 0)
    forbidden = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        comments = comments_of(text)
        counts["lines"] += lines_of_code(text, nodes)
        counts["tuples"] += sum(map(is_tuple_assignment, nodes))
        counts["conditional"] += sum(isinstance(node, ast.IfExp) for node in nodes)
        counts["comments"] += len(comments)
        name = path.relative_to(package).as_posix()
        for node in filter(is_chosen_by_a_truth, nodes):
            forbidden.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
        for comment in comments:
            if comment.startswith("# fmt:"):
                forbidden.append(f"{name}: {comment}")
    return counts, forbidden


def test_no_text_is_multiplied_by_a_truth_and_the_formatter_formats_all(measured):
    assert not measured[1], "write an if instead:\n" + "\n".join(measured[1])


def test_a_statement_a_line_and_comments(measured):
    counts = measured[0]
    thousands = counts["lines"] / 1000
    assert counts["tuples"] / thousands <= MOST_TUPLE_ASSIGNMENTS
    assert counts["conditional"] / thousands <= MOST_CONDITIONAL_EXPRESSIONS
    assert counts["comments"] / thousands >= LEAST_COMMENTS


@pytest.mark.parametrize(
    "text",
    ['"s" * (count > 1)', "f'{x} lines' * bool(x)", '" .,"[1 + (mark == ".")]', "[note] * (not x)"],
)
def test_what_is_forbidden_is_found(text):
    assert any(map(is_chosen_by_a_truth, ast.walk(ast.parse(text))))


@pytest.mark.parametrize("text", ['"0" * digits', "[0] * len(x)", "x[0]", "names[i == j]"])
def test_what_is_plain_is_allowed(text):
    assert not any(map(is_chosen_by_a_truth, ast.walk(ast.parse(text))))


def test_unpacking_is_no_tuple_assignment():
    nodes = [ast.parse(text).body[0] for text in ("a, b = x, y", "a, b = found", "a = x, y")]
    assert [is_tuple_assignment(node) for node in nodes] == [True, False, False]
