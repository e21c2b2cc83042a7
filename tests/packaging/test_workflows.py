"""Workflows of continuous integration: pinned, and of the Pythons that the package names."""

import re
import runpy
import tomllib

import pytest
import yaml


@pytest.fixture(scope="module")
def workflows(root):
    files = sorted((root / ".github").rglob("*.yml"))
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}


def test_actions_are_pinned_by_their_commit(root, workflows):
    used = []
    for path in (root / ".github").rglob("*.yml"):
        used += re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert len(used) > 20
    for action in used:
        if action.startswith("./"):
            assert (root / action).exists()
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action


def test_one_action_has_one_version(root):
    versions = {}
    for path in (root / ".github").rglob("*.yml"):
        for name, version in re.findall(r"uses: ([\w/-]+)@(\S+)", path.read_text(encoding="utf-8")):
            versions.setdefault(name, set()).add(version)
    assert all(len(found) == 1 for found in versions.values()), versions


def test_the_pythons_that_are_named_are_tested(root, workflows):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = []
    for classifier in project["classifiers"]:
        named += re.findall(r"Python :: (3\.\d+)$", classifier)
    tested = workflows["ci.yml"]["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert tested == named
    installed = workflows["build.yml"]["jobs"]["install"]
    # One more is tried, and may fail until it is named.
    assert installed["strategy"]["matrix"]["python"] == [*named, "3.14"]
    assert installed["continue-on-error"] == "${{ matrix.python == '3.14' }}"
    session = re.search(r"PYTHONS = (\[.*\])", (root / "noxfile.py").read_text(encoding="utf-8"))
    assert yaml.safe_load(session[1]) == named


def test_programs_of_the_repository_that_jobs_call_are_there(root, workflows):
    for path in (root / ".github").rglob("*.yml"):
        for name in re.findall(r"python (packaging/\S+\.py)", path.read_text(encoding="utf-8")):
            assert (root / name).is_file()


def test_only_a_release_may_write_and_only_where_it_must(workflows):
    for name, workflow in workflows.items():
        if "jobs" not in workflow:
            continue
        assert workflow["permissions"] == {"contents": "read"}
        may = {
            key: job["permissions"] for key, job in workflow["jobs"].items() if "permissions" in job
        }
        expected = {}
        if name == "release.yml":
            expected = {
                "publish": {"id-token": "write"},
                "github": {"contents": "write"},
                "docs": {"pages": "write", "id-token": "write"},
            }
        assert may == expected


def test_the_readme_has_the_first_commands_and_they_are_understood(root):
    from contrast_subgraphs.cli import main

    trying = runpy.run_path(str(root / "packaging" / "try_wheel.py"))
    commands = trying["first_commands"]((root / "README.md").read_text(encoding="utf-8"))
    assert [words[1] for words in commands] == ["find", "test", "confirm", "evaluate"]
    assert "--plot" in commands[0]
    for program, name, *arguments in commands:
        assert program == "contrast-subgraphs"
        main.commands[name].make_context(name, arguments)
