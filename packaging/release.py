"""Check that a tag, and all files that name the version, agree; print the notes of the release.

python packaging/release.py v0.1.0 > notes.md
"""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions(root):
    """Return what each file says the version is."""

    def found(name, pattern):
        text = (root / name).read_text(encoding="utf-8")
        (version,) = re.findall(pattern, text, flags=re.MULTILINE)
        return version

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "pyproject.toml": project["version"],
        "__init__.py": found(
            "workflow/contrast_subgraphs/__init__.py", r'^__version__ = "([^"]+)"'
        ),
        "CITATION.cff": found("CITATION.cff", r"^version: (\S+)"),
        "recipe.yaml": found("packaging/conda/recipe.yaml", r'^  version: "([^"]+)"'),
    }


def notes(changelog, version):
    """Return the changelog's section on a version: the one that begins with ``## VERSION (``."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for section in sections:
        head, _, text = section.partition("\n")
        if head.split(" ")[0] == version:
            return text.strip() + "\n"
    raise SystemExit(f"error: CHANGELOG.md has no section '## {version} (date)'")


def problems(root, tag):
    """Return what is wrong with a release called `tag`, a sentence each."""
    found = []
    for name, version in versions(root).items():
        if f"v{version}" != tag:
            found.append(f"{name} has the version {version}, the tag is {tag}")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if "Source" not in project["urls"]:
        found.append("pyproject.toml does not say where the source is ([project.urls] Source)")
    title = json.loads((root / ".zenodo.json").read_text(encoding="utf-8"))["title"]
    if f'title: "{title}"' not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        found.append(".zenodo.json and CITATION.cff have two titles")
    return found


def main(tag):
    """Print the notes of a release, or what keeps it from being one."""
    found = problems(ROOT, tag)
    if found:
        raise SystemExit("\n".join(f"error: {one}" for one in found))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    print(notes(changelog, tag.removeprefix("v")))


if __name__ == "__main__":
    main(*sys.argv[1:])
