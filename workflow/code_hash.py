"""Hash of the code behind a script, so that an edit reruns what uses it and nothing else.

Snakemake sees the edit of a script by its time stamp and that of an imported library
not at all. Here the text counts: comments, docstrings and layout do not, a `touch` or a
fresh checkout does not, an edit anywhere in what the script imports does.
"""

import ast
import functools
import hashlib
from pathlib import Path

WORKFLOW = Path(__file__).resolve().parent
PACKAGE = "contrast_subgraphs"


def code_hash(script, *modules):
    """Return a short hash of a script and of the library modules that it uses.

    Parameters
    ----------
    script : str
        File name in ``workflow/scripts``.
    *modules : str
        What the script uses by a name known only when it runs: modules or files, as paths
        within the package (``"baselines/embs.py"``, ``"resources/report"``; of a folder
        every file in it counts).

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    path = WORKFLOW / "scripts" / script
    files = {path, path.with_name("job.py")} | modules_of(path)
    for module in modules:
        named = WORKFLOW / PACKAGE / module
        if named.suffix == ".py":
            files |= {named} | modules_of(named)
        else:
            files |= set(filter(Path.is_file, named.rglob("*"))) if named.is_dir() else {named}
    for file in list(files):
        files |= _resources_of(file)
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(WORKFLOW)}\0{_meaning(file)}\0".encode())
    return digest.hexdigest()[:16]


def file_hash(path):
    """Return a short hash of a file's bytes.

    For a file of the checkout that a rule reads: as an input, its date and its absolute
    path would count, and a fresh checkout would run everything again.
    """
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def modules_of(path):
    """Return the files of the library that the file at `path` imports, directly or not.

    Parameters
    ----------
    path : pathlib.Path
        A script, or a module of the library.

    Returns
    -------
    set of pathlib.Path
    """
    found, waiting = set(), [(path, None)]
    seen = set()
    while waiting:
        file, name = waiting.pop()
        if (file, name) in seen:
            continue
        seen.add((file, name))
        if file != path:
            found.add(file)
        waiting += _imports(file, name)
    return found


def _imports(file, name):
    """Return (module file, name) pairs that `file` needs.

    For the ``__init__`` of a package that passes names on, only what is behind `name`.
    """
    needed = []
    for module, names in _import_statements(file):
        target = _module_file(module)
        for imported in names:
            passed_on = file.name == "__init__.py" and name is not None and imported != name
            if passed_on:
                continue
            submodule = _module_file([*module, imported])
            if submodule is not None:
                needed.append((submodule, None))
            elif target is not None:
                needed.append((target, imported if target.name == "__init__.py" else None))
    return needed


@functools.cache
def _import_statements(file):
    """Return [(module path within the package, names)] for a file's library imports."""
    package = list(file.relative_to(WORKFLOW / PACKAGE).parent.parts) if _inside(file) else []
    statements = []
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom):
            parts = (node.module or "").split(".") if node.module else []
            if node.level:
                module = package[: len(package) - node.level + 1] + parts
            elif parts[:1] == [PACKAGE]:
                module = parts[1:]
            else:
                continue
            statements.append((module, [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == PACKAGE:
                    statements.append((parts[1:-1], [parts[-1]]))
    return statements


def _module_file(module):
    base = WORKFLOW.joinpath(PACKAGE, *module)
    if base.with_suffix(".py").is_file() and module:
        return base.with_suffix(".py")
    if (base / "__init__.py").is_file():
        return base / "__init__.py"
    return None


def _inside(file):
    return (WORKFLOW / PACKAGE) in file.parents


@functools.cache
def _tree(file):
    return ast.parse(file.read_text(encoding="utf-8"))


@functools.cache
def _resources_of(file):
    """Return the files of the library's ``resources`` that a module names in a text."""
    if file.suffix != ".py":
        return set()
    texts = {
        node.value
        for node in ast.walk(_tree(file))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    found = (WORKFLOW / PACKAGE / "resources").rglob("*")
    return {path for path in found if path.name in texts and path.is_file()}


@functools.cache
def _meaning(file):
    """Return a file's code without comments, docstrings and layout."""
    if file.suffix != ".py":
        return file_hash(file)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            del body[0]
    return ast.dump(tree)
