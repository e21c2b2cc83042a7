"""Every public function and class of the library is used by something that is not a test."""

import ast
import re

import contrast_subgraphs
from contrast_subgraphs.design import KINDS


def _names_used(tree, reexports):
    """Names, attributes, imports and ``module:Class`` in some code; none that it only passes on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias) and not reexports:
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ":" in node.value:
            yield from re.findall(r"\w+$", node.value)


def test_no_public_name_is_unreached(root):
    """Used elsewhere in the library, by the workflow, or public for the library's users."""
    library = root / "workflow" / "contrast_subgraphs"
    used = {*contrast_subgraphs.__all__, *contrast_subgraphs._OLD, "main"}
    # A kind of question is known from its definition on: nobody outside its file names it.
    used |= {kind.__name__ for kind in KINDS.values()}
    defined = {}
    for file in [*library.rglob("*.py"), *(root / "workflow").glob("*.py")]:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        used |= set(_names_used(tree, file.name == "__init__.py"))
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                command = any("command" in ast.unparse(one) for one in node.decorator_list)
                if not command and file.is_relative_to(library):
                    defined[f"{file.relative_to(library).as_posix()}:{node.name}"] = node.name
    others = [*(root / "workflow").glob("*/*.smk"), *(root / "workflow/scripts").glob("*.py")]
    others += (root / "benchmarks").glob("*.py")
    others += [*library.rglob("*.html"), *library.rglob("*.j2"), *library.rglob("*.md")]
    for file in [*others, root / "Snakefile", root / "docs/reference/generated.py"]:
        used |= set(re.findall(r"\w+", file.read_text(encoding="utf-8")))
    assert sorted(place for place, name in defined.items() if name not in used) == []
