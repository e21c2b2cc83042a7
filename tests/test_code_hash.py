"""An edit of the library changes the hash of the scripts that use it, and of no others."""

import shutil
import sys

import pytest


@pytest.fixture
def copy(root, tmp_path, monkeypatch):
    """A copy of the workflow to edit, and the hash function that looks at it."""
    shutil.copytree(
        root / "workflow", tmp_path / "workflow", ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.syspath_prepend(str(tmp_path / "workflow"))
    monkeypatch.delitem(sys.modules, "code_hash", raising=False)
    import code_hash

    assert code_hash.WORKFLOW == tmp_path / "workflow"

    def hash_of(script, *extra):
        code_hash._tree.cache_clear()
        code_hash._meaning.cache_clear()
        code_hash._import_statements.cache_clear()
        return code_hash.code_hash(script, *extra)

    yield tmp_path / "workflow", hash_of
    monkeypatch.delitem(sys.modules, "code_hash", raising=False)


def edited(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_comments_docstrings_and_touch_do_not_count(copy):
    workflow, hash_of = copy
    before = hash_of("contrast_subgraphs.py")
    script = workflow / "scripts" / "contrast_subgraphs.py"
    script.write_text("# a comment\n" + script.read_text(encoding="utf-8"), encoding="utf-8")
    module = workflow / "contrast_subgraphs" / "contrast" / "objective.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('"""', '"""Well: ', 1) + "\n\n# the end\n", encoding="utf-8")
    assert hash_of("contrast_subgraphs.py") == before


def test_an_edit_far_down_counts_where_it_is_used(copy):
    workflow, hash_of = copy
    uses, not_uses = hash_of("contrast_subgraphs.py"), hash_of("archive.py")
    module = workflow / "contrast_subgraphs" / "contrast" / "objective.py"
    module.write_text(module.read_text(encoding="utf-8") + "\nA_NEW_NAME = 1\n", encoding="utf-8")
    assert hash_of("contrast_subgraphs.py") != uses
    assert hash_of("archive.py") == not_uses


def test_an_edit_of_the_script_counts(copy):
    workflow, hash_of = copy
    before = hash_of("archive.py")
    edited(workflow / "scripts" / "archive.py", "snakemake.output[0]", "str(snakemake.output[0])")
    assert hash_of("archive.py") != before


def test_a_package_that_passes_names_on_brings_only_what_is_behind_them(copy):
    workflow, _ = copy
    import code_hash

    probe = workflow / "scripts" / "probe.py"
    probe.write_text("from contrast_subgraphs.contrast import objective\n", encoding="utf-8")
    names = {path.name for path in code_hash.modules_of(probe)}
    assert "objective.py" in names and "search.py" not in names
