"""A release: all files name one version, and the notes are the changelog's section."""

import json
import runpy
import shutil

import pytest
import yaml


@pytest.fixture(scope="module")
def release(root):
    return runpy.run_path(str(root / "packaging" / "release.py"))


@pytest.fixture
def checkout(root, release, tmp_path):
    """A copy of the files that name the version, with a repository named."""
    for name in ("pyproject.toml", "CITATION.cff", ".zenodo.json", "CHANGELOG.md"):
        shutil.copy(root / name, tmp_path / name)
    for name in ("workflow/contrast_subgraphs/__init__.py", "packaging/conda/recipe.yaml"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(root / name, tmp_path / name)
    project = tmp_path / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("[project.urls]\n", '[project.urls]\nSource = "https://x"\n'))
    return tmp_path


def test_all_files_name_one_version(root, release):
    assert len(set(release["versions"](root).values())) == 1


def test_a_tag_like_the_version_passes_and_another_does_not(checkout, release):
    (version,) = set(release["versions"](checkout).values())
    assert release["problems"](checkout, f"v{version}") == []
    assert len(release["problems"](checkout, "v99.0")) == 4


@pytest.mark.parametrize(
    "name, old, new, said",
    [
        ("CITATION.cff", "version: 0.1.0", "version: 0.0.9", "CITATION.cff has the version 0.0.9"),
        ("packaging/conda/recipe.yaml", '"0.1.0"', '"0.2.0"', "recipe.yaml has the version 0.2.0"),
        ("pyproject.toml", 'Source = "https://x"\n', "", "where the source is"),
        (".zenodo.json", "contrast-subgraphs: ", "", "two titles"),
    ],
)
def test_what_differs_keeps_it_from_being_released(checkout, release, name, old, new, said):
    path = checkout / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    found = release["problems"](checkout, "v0.1.0")
    assert len(found) == 1 and said in found[0]


def test_notes_are_the_section_of_the_version(release):
    changelog = (
        "# Changelog\n\n## Unreleased\n\n## 0.1.10 (d)\n\nten\n\n## 0.1.1 (d)\n\n- one\n- 1\n"
    )
    assert release["notes"](changelog, "0.1.1") == "- one\n- 1\n"
    with pytest.raises(SystemExit, match="no section '## 0.1.0"):
        release["notes"](changelog, "0.1.0")


def test_zenodo_says_what_the_citation_says(root):
    said = json.loads((root / ".zenodo.json").read_text(encoding="utf-8"))
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert said["title"] == citation["title"]
    assert said["license"] == citation["license"]
    assert said["keywords"] == citation["keywords"]
    assert [one["name"] for one in said["creators"]] == [a["name"] for a in citation["authors"]]
    (paper,) = said["related_identifiers"]
    assert paper["identifier"] == citation["preferred-citation"]["doi"]
