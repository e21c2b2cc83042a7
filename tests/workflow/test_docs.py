"""The documentation site is built without a warning, and has every key and command."""

import os
import re
import subprocess
import sys
from pathlib import Path

import contrast_subgraphs
import numpy as np
import pytest
import yaml
from contrast_subgraphs.cli import main


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    pytest.importorskip("mkdocs", reason="the tools of envs/requirements-dev.txt are missing")
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_it_loads_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|img|link)[^>]*(?:src|href)="(https?:[^"]*)', page.read_text()
        )
        assert not loaded, page


def test_the_gallery_shows_what_its_programs_print_and_draw(site):
    page = (site / "gallery.html").read_text(encoding="utf-8")
    for name in ("path.png", "pair.png"):
        assert f'src="gallery/{name}"' in page and (site / "gallery" / name).stat().st_size > 10_000
    assert "L7, L8, L9, L10, L11, L12, L13, L14" in page and "p_familywise" in page


def test_every_key_of_the_config_has_its_row(site, root):
    text = (site / "reference" / "config.html").read_text(encoding="utf-8")
    defaults = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    for section in ("graph", "evaluation", "contrast"):
        for key in defaults[section]:
            assert f"<code>{section}.{key}" in text


def test_every_command_and_option_is_there(site):
    cli = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    for name, command in main.commands.items():
        assert f"contrast-subgraphs {name}" in cli
        for option in (one for parameter in command.params for one in parameter.opts):
            assert not option.startswith("--") or option in cli, f"{name} {option}"


def test_the_page_of_the_library_lists_every_public_name_and_no_other(root):
    page = (root / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^::: contrast_subgraphs\..*?(\w+)$", page, flags=re.M)
    assert sorted(listed) == sorted(contrast_subgraphs.__all__)


@pytest.fixture
def a_readers_names(tmp_path, monkeypatch):
    """The arrays and files that the documentation's Python speaks of, in the working directory."""
    from contrast_subgraphs import difference_graph

    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for folder in ("controls", "patients"):
        Path(folder).mkdir()
        for person in range(4):
            series = rng.normal(size=(30, 10))
            np.savetxt(f"{folder}/{person}_timeseries.tsv", series, delimiter="\t")
            np.savetxt(f"{folder}/{person}.csv", np.corrcoef(series.T), delimiter=",")
    graphs = np.triu(rng.random((40, 10, 10)) < 0.4, 1)
    graphs = (graphs | graphs.transpose(0, 2, 1)).astype(np.uint8)
    y = np.repeat([0, 1], 20)
    difference = difference_graph(graphs, y, "td-asd", {0: "td", 1: "asd"})
    of_people = {name: rng.normal(size=40) for name in ("age", "motion")}
    of_people |= {"site": np.tile([0, 1], 20), "sex": np.repeat([0, 1, 0, 1], 10)}
    return {"graphs": graphs, "y": y, "difference": difference, **of_people}


def test_the_python_of_each_page_runs(root, a_readers_names, monkeypatch):
    """With fewer permutations than a reader's."""
    for name in ("predict_variable", "permutation_test", "plan", "true_pairs"):
        defaults = getattr(contrast_subgraphs, name).__kwdefaults__
        monkeypatch.setitem(defaults, "n_permutations", 4)
    for page in sorted((root / "docs").glob("*.md")):
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            exec(compile(code, page.name, "exec"), dict(a_readers_names))
