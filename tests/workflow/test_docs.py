"""The documentation site is built without a warning, and has every key and command."""

import json
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
from PIL import Image


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


def outputs_of(site, name):
    """What a notebook's page shows as printed by its cells, and the file for Jupyter."""
    page = (site / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
    notebook = json.loads((site / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    return re.sub(r"<[^>]+>", "", page), notebook


@pytest.mark.parametrize("name", ["the_paper", "your_two_groups", "a_new_method"])
def test_notebooks_are_shown_with_outputs_and_can_be_downloaded_without(site, root, name):
    nbformat = pytest.importorskip("nbformat")
    page, notebook = outputs_of(site, name)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook["cells"])
    title = (root / "docs" / "notebooks" / f"{name}.py").read_text(encoding="utf-8").split("\n")[1]
    assert (
        title.removeprefix("# # ") in page and f'{name}.html"' in (site / "index.html").read_text()
    )


def test_the_papers_notebook_shows_the_leak_that_it_explains(site):
    page, _ = outputs_of(site, "the_paper")
    found = re.search(r"(\d+) of the 12 planted regions are among the (\d+) found", page)
    assert int(found[1]) >= 10 and int(found[2]) <= 14
    leaking, honest = re.findall(r"sets from .*: (0\.\d+), with shuffled labels (0\.\d+)", page)
    # Labels that mean nothing must be told apart by the first way alone.
    assert float(leaking[1]) > 0.7 and float(honest[1]) < 0.6 < float(honest[0])


def test_the_notebook_of_two_groups_finds_and_confirms_what_is_planted(site):
    page, _ = outputs_of(site, "your_two_groups")
    assert "L7, L8, L9, L10, L11, L12, L13, L14\n" in page and "proved to be the best: True" in page
    effect = re.search(r"HeldOutEffectResulteffect (0\.\d+) \((-?\d\.\d+) to", page)
    assert float(effect[2]) > 0
    confirmed = re.search(r"smallest corrected p = (0\.\d+) \(ours", page)
    assert float(confirmed[1]) < 0.05


def test_the_notebook_of_a_new_method_compares_with_what_is_proved(site):
    page, _ = outputs_of(site, "a_new_method")
    found, checked = re.search(r"found: ([\d.]+)\s+checked: ([\d.]+)", page).groups()
    assert float(found) == pytest.approx(float(checked), rel=1e-5)
    rows = re.findall(r"(\d\.\d{3})\s+True\s+(\d+\.\d{3})\s+(\d\.\d{3})", page)
    shares = [float(row[2]) for row in rows]
    # Peeling reaches the best somewhere and nowhere more, and misses it somewhere.
    assert max(shares) == 1 and min(shares) < 1


def test_tables_and_columns_that_r_and_matlab_users_are_told_of_exist(root):
    """The R and MATLAB code itself cannot be run here."""
    tables = root / "workflow" / "contrast_subgraphs" / "report" / "tables"
    known = yaml.safe_load((tables / "columns.yaml").read_text(encoding="utf-8"))
    page = (root / "docs" / "r_and_matlab.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(\w+)` \|", page, re.M)) | set(
        re.findall(r"tables/([a-z]\w*)\.", page)
    )
    assert len(told) >= 4 and told <= set(known)
    columns = set(re.findall(r"(?:significance|columns)[$.](\w+)", page)) - {"csv", "json", "md"}
    assert {"optimal", "p_familywise", "contrast"} <= columns
    assert columns <= set(known["shared"]) | set(known["significance"])


def test_placeholders_and_the_version_are_shown(site):
    text = (site / "reference" / "config.html").read_text(encoding="utf-8")
    assert "graphs/&lt;cohort&gt;.tsv" in text or "graphs/&lt;key&gt;.tsv" in text
    assert f"contrast-subgraphs {contrast_subgraphs.__version__}" in text


@pytest.fixture(scope="module")
def pictures(root):
    sys.path.insert(0, str(root / "docs" / "reference"))
    import drawings

    yield drawings
    sys.path.remove(str(root / "docs" / "reference"))


def test_pictures_are_drawn_from_the_tables_next_to_them(root, pictures):
    """If it fails: python docs/reference/drawings.py."""
    shown = "".join(page.read_text(encoding="utf-8") for page in (root / "docs").glob("*.md"))
    for name, (numbers_of, _, _) in pictures.PICTURES.items():
        with Image.open(root / "docs" / name) as picture:
            assert picture.text[pictures.KEY] == pictures.digest_of(numbers_of()), name
        assert f"]({name})" in shown


@pytest.mark.parametrize("name", ["effects.png", "sites.png", "map.png"])
def test_pictures_can_be_drawn_again(name, pictures, tmp_path):
    pictures.draw(name, tmp_path)
    assert (tmp_path / name).stat().st_size > 10_000


def test_every_page_of_a_question_has_a_picture(root):
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    questions = text.split("- Questions:")[1].split("- The paper:")[0]
    for page in re.findall(r"(\w+\.md)", questions):
        assert "![" in (root / "docs" / page).read_text(encoding="utf-8"), page


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
