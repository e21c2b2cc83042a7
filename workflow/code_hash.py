"""Hash of the code behind a script, so that an edit reruns what uses it and nothing else.

Snakemake sees the edit of a script by its time stamp and that of an imported library
not at all. Here the text counts: comments, docstrings and layout do not, a `touch` or a
fresh checkout does not, an edit of anything that the script uses does. Of a module that
it imports only the functions, classes and constants count that are used, directly or
through others.
"""

import ast
import functools
import hashlib
from pathlib import Path
from typing import NamedTuple

WORKFLOW = Path(__file__).resolve().parent
PACKAGE = "contrast_subgraphs"


@functools.cache
def code_hash(script, *modules):
    """Return a short hash of a script and of what it uses of the library.

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
    scripts = WORKFLOW / "scripts"
    named = [WORKFLOW / PACKAGE / module for module in modules]
    code = {path for path in named if path.suffix == ".py"}
    data = {path for path in named if path not in code}
    pieces = _reached({scripts / script, scripts / "job.py", *code})
    for path in data | set().union(*map(_resources_of, pieces)):
        files = filter(Path.is_file, path.rglob("*")) if path.is_dir() else [path]
        pieces |= {Piece(file, file_hash(file), None) for file in files}
    return _digest(pieces)


def file_hash(path):
    """Return a short hash of a file's bytes.

    For a file of the checkout that a rule reads: as an input, its date and its absolute
    path would count, and a fresh checkout would run everything again.
    """
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def modules_of(path):
    """Return the files of the library that the file at `path` uses, directly or not.

    Parameters
    ----------
    path : pathlib.Path
        A script, or a module of the library.

    Returns
    -------
    set of pathlib.Path
    """
    return {piece.file for piece in _reached({path})} - {path}


def drop_stale_kernels():
    """Delete numba's compiled functions that rest on code which has changed since.

    numba compiles a function anew when its own file changes, but not when a function that
    it calls in another file does: it would go on with the old one.

    Returns
    -------
    list of pathlib.Path
        The modules whose compiled functions were deleted.
    """
    stale = []
    for path in sorted((WORKFLOW / PACKAGE).rglob("*.py")):
        if "njit" not in _module(path).named:
            continue
        cache = path.parent / "__pycache__"
        stamp, code = cache / f"{path.stem}.kernels", _digest(_reached({path}))
        if stamp.exists() and stamp.read_text(encoding="ascii") == code:
            continue
        kernels = list(cache.glob(f"{path.stem}.*.nb[ic]"))
        try:
            cache.mkdir(exist_ok=True)
            for kernel in kernels:
                kernel.unlink(missing_ok=True)
            stamp.write_text(code, encoding="ascii")
        except OSError:  # a checkout that is not ours: nobody edits it
            continue
        stale += [path] if kernels else []
    return stale


class Piece(NamedTuple):
    """A statement at the top of a module: what it says, and the statement itself."""

    file: Path
    text: str
    node: ast.stmt | None


class Module(NamedTuple):
    """A module's statements, by the names that they bind; some bind none."""

    named: dict
    others: list


def _digest(pieces):
    texts = sorted(f"{piece.file.relative_to(WORKFLOW)}\0{piece.text}\0" for piece in pieces)
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


def _reached(files):
    """Return all pieces that the modules at `files`, whole, rest on."""
    waiting, seen, pieces = [(file, None) for file in files], set(), set()
    while waiting:
        wanted = waiting.pop()
        if wanted in seen:
            continue
        seen.add(wanted)
        for node in _statements(*wanted):
            piece = Piece(wanted[0], _text(node), node)
            if piece not in pieces:
                pieces.add(piece)
                waiting += _uses(piece)
    return pieces


def _statements(file, name):
    """Return the statements of a module that bind `name`; all of them if it is None."""
    module = _module(file)
    if name is None:
        return [*(node for nodes in module.named.values() for node in nodes), *module.others]
    own = [node for node in module.named[name] if name not in _imported(file, node)]
    return [*own, *module.others]


@functools.cache
def _uses(piece):
    """Return (module file, name) pairs that a piece needs; name None: the whole module."""
    local = _imported(piece.file, piece.node)
    if isinstance(piece.node, ast.Import | ast.ImportFrom):
        return [pair for target in local.values() for pair in _found(*target)]
    needed = []
    for name, attribute in _references(piece.node):
        if name in local:
            needed += _found(*local[name], attribute)
        elif name in _module(piece.file).named:
            needed += _definitions(piece.file, name, attribute)
    return needed


def _definitions(file, name, attribute=None):
    """Return where `name` in a module is defined: there, or where it is imported from."""
    found = []
    for node in _module(file).named[name]:
        imported = _imported(file, node) if isinstance(node, ast.ImportFrom | ast.Import) else {}
        found += _found(*imported[name], attribute) if name in imported else [(file, name)]
    return found


def _found(parts, name=None, attribute=None):
    """Return what ``from parts import name`` and then ``name.attribute`` need."""
    target = _module_file(parts)
    if target is not None and name in _module(target).named:
        return _definitions(target, name, attribute)
    submodule = _module_file([*parts, name]) if name else target
    if submodule is None:
        return [] if target is None else [(target, None)]
    if attribute in _module(submodule).named:
        return _definitions(submodule, attribute)
    return [(submodule, None)]


@functools.cache
def _imported(file, node):
    """Return {bound name: (module path within the package, name)} of imports in a statement."""
    package = list(file.relative_to(WORKFLOW / PACKAGE).parent.parts) if _inside(file) else []
    names = {}
    for part in ast.walk(node):
        if isinstance(part, ast.ImportFrom):
            parts = part.module.split(".") if part.module else []
            if part.level:
                parts = package[: len(package) - part.level + 1] + parts
            elif parts[:1] == [PACKAGE]:
                parts = parts[1:]
            else:
                continue
            for alias in part.names:
                star = alias.name == "*"
                names[alias.asname or alias.name] = (parts, None if star else alias.name)
        elif isinstance(part, ast.Import):
            for alias in part.names:
                parts = alias.name.split(".")
                if parts[0] == PACKAGE:
                    names[alias.asname or parts[0]] = (parts[1:], None)
    return names


@functools.cache
def _references(node):
    """Return the names that a statement mentions, each with the attribute taken of it."""
    found, waiting = set(), [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            found.add((part.value.id, part.attr))
        elif isinstance(part, ast.Name):
            found.add((part.id, None))
        else:
            waiting += ast.iter_child_nodes(part)
    return found


@functools.cache
def _module(file):
    """Return a file's statements, without docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            del body[0]
    named, others = {}, []
    for node in tree.body:
        names = _bound(node)
        for name in names:
            named.setdefault(name, []).append(node)
        if not names:
            others.append(node)
    return Module(named, others)


def _is_text(node):
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _bound(node):
    """Return the names that a statement at the top of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.alias):
            names.add((part.asname or part.name).split(".")[0])
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            names.add(part.name)
    return names


@functools.cache
def _text(node):
    """Return what a statement says, whatever its layout."""
    return ast.dump(node)


def _module_file(parts):
    base = WORKFLOW.joinpath(PACKAGE, *parts)
    if base.with_suffix(".py").is_file() and parts:
        return base.with_suffix(".py")
    if (base / "__init__.py").is_file():
        return base / "__init__.py"
    return None


def _inside(file):
    return (WORKFLOW / PACKAGE) in file.parents


@functools.cache
def _resources_of(piece):
    """Return the files of the library's ``resources`` that a piece names in a text."""
    texts = {
        part.value
        for part in ast.walk(piece.node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    return {path for path in _resources() if path.name in texts}


@functools.cache
def _resources():
    return [path for path in (WORKFLOW / PACKAGE / "resources").rglob("*") if path.is_file()]
