"""An edit of the library changes the hash of every stage that rests on it; imports run one way."""

import ast
import itertools
import re
import shutil

import pytest
from contrast_subgraphs.core.code_hash import IMPORTS, code_hash

PACKAGE = "workflow/contrast_subgraphs"


@pytest.fixture
def copy(root, tmp_path, monkeypatch):
    """A copy of the workflow to edit, and the hash function that looks at it."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "workflow", tmp_path / "workflow", ignore=ignore)
    shutil.copytree(root / "envs", tmp_path / "envs", ignore=ignore)
    monkeypatch.setattr("contrast_subgraphs.core.code_hash.PACKAGE", tmp_path / PACKAGE)

    def hash_of(stage, script):
        code_hash.cache_clear()
        return code_hash(stage, script, tmp_path / "workflow")

    yield tmp_path, hash_of
    code_hash.cache_clear()


@pytest.mark.parametrize(
    ("file", "changed", "kept"),
    [
        (f"{PACKAGE}/core/atomic_files.py", ["data", "contrast", "embeddings", "report"], []),
        (f"{PACKAGE}/contrast/proof/branching.py", ["contrast", "evaluation", "report"], ["data"]),
        (f"{PACKAGE}/embeddings/embs.py", ["embeddings", "evaluation"], ["contrast", "graphs"]),
        (f"{PACKAGE}/report/assets/page.css", ["report"], ["evaluation", "data"]),
        (f"{PACKAGE}/report/tables/paper.yaml", ["report"], ["evaluation"]),
        ("workflow/scripts/job.py", ["data", "report"], []),
        ("workflow/rules/common.smk", ["data", "report"], []),
        ("workflow/rules/contrast.smk", ["contrast"], ["data", "report"]),
        (f"{PACKAGE}/methods.py", ["report"], ["data", "contrast", "embeddings", "evaluation"]),
        ("envs/requirements.txt", ["data", "report"], []),
    ],
)
def test_an_edit_counts_where_it_is_used(copy, file, changed, kept):
    folder, hash_of = copy
    scripts = dict(
        data="series.py",
        graphs="cohort.py",
        contrast="contrast_subgraphs.py",
        embeddings="embedding.py",
        evaluation="evaluate.py",
        report="report.py",
    )
    before = {stage: hash_of(stage, script) for stage, script in scripts.items()}
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
    after = {stage: hash_of(stage, script) for stage, script in scripts.items()}
    assert all(before[stage] != after[stage] for stage in changed)
    assert all(before[stage] == after[stage] for stage in kept)


def test_of_the_scripts_only_its_own_counts(copy):
    folder, hash_of = copy
    before = hash_of("data", "series.py"), hash_of("data", "archive.py")
    path = folder / "workflow/scripts/archive.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
    assert hash_of("data", "series.py") == before[0]
    assert hash_of("data", "archive.py") != before[1]


def test_what_python_leaves_does_not_count(copy):
    folder, hash_of = copy
    before = hash_of("contrast", "contrast_subgraphs.py")
    left = folder / PACKAGE / "contrast" / "__pycache__"
    left.mkdir(exist_ok=True)
    (left / "x.pyc").write_bytes(b"1")
    assert hash_of("contrast", "contrast_subgraphs.py") == before


def test_imports_run_one_way(root):
    """Core below everything, a stage imports what `IMPORTS` says, nothing imports back up."""
    order = list(IMPORTS)
    for stage, below in IMPORTS.items():
        assert all(order.index(part) < order.index(stage) for part in below)
    package = root / PACKAGE
    for file in package.rglob("*.py"):
        parts = file.relative_to(package).parts
        if parts[0] not in IMPORTS:
            continue
        for target in set(_imported(file, parts)):
            assert target in (parts[0], *IMPORTS[parts[0]]), f"{file} imports {target}"


def test_a_script_imports_what_the_hash_of_its_rule_covers(root):
    """Each script, by the stage that its rule's `code_hash` names."""
    rules = "".join(path.read_text("utf-8") for path in (root / "workflow/rules").glob("*.smk"))
    stages = {}
    for stage, script in re.findall(r'code_hash\("(\w+)", "(\w+\.py)"\)', rules):
        stages.setdefault(script, set()).add(stage)
    scripts = {path.name: path for path in (root / "workflow/scripts").glob("*.py")}
    # `job.py` is in each hash; the check of the cohorts has none, since it writes no result.
    assert set(scripts) == {*stages, "job.py", "check_cohorts.py"}
    for script, of in stages.items():
        for stage, target in itertools.product(of, set(_imported(scripts[script], ()))):
            target = target.replace("__version__", "__init__")
            assert target in (stage, *IMPORTS[stage]), f"{script} imports {target}"


def _imported(file, parts):
    """Rooms of the library that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            module = [*parts[: len(parts) - node.level], *(node.module or "").split(".")]
            names = [module[0]] if module[0] else [alias.name for alias in node.names]
            yield from names
        elif isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "contrast_subgraphs":
            yield from (node.module.split(".")[1:2] or [alias.name for alias in node.names])
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "contrast_subgraphs":
                    yield from alias.name.split(".")[1:2]
