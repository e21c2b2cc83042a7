"""What is published: built twice to the same bytes, and holding what it should."""

import runpy
import tarfile
import zipfile

import pytest

hatchling = pytest.importorskip("hatchling", reason="the tools of envs/requirements-dev.txt")


@pytest.fixture(scope="module")
def building(root):
    return runpy.run_path(str(root / "packaging" / "build.py"))


@pytest.fixture(scope="module")
def names(root, building):
    """Every file that Git holds; in an unpacked sdist, every file that is there."""
    if (root / ".git").exists():
        return building["tracked"](root)
    pytest.skip("no Git to say which files belong to the sources")


@pytest.fixture(scope="module")
def distributions(root, building, names, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    made = building["build_twice"](root, names, 1_700_000_000, folder)
    wheel, sdist = sorted(made.values(), key=lambda path: path.suffix, reverse=True)
    return wheel, sdist


def test_the_sdist_holds_what_git_holds_and_nothing_else(distributions, names):
    with tarfile.open(distributions[1]) as archive:
        held = [entry.name.partition("/")[2] for entry in archive if entry.isfile()]
    missing = set(names) - set(held)
    assert not missing, f"not in pyproject.toml's [tool.hatch.build.targets.sdist]: {missing}"
    assert set(held) - set(names) == {"PKG-INFO"}


def test_times_inside_are_those_asked_for(distributions):
    with tarfile.open(distributions[1]) as archive:
        assert {entry.mtime for entry in archive} == {1_700_000_000}
    times = {entry.date_time for entry in zipfile.ZipFile(distributions[0]).infolist()}
    assert times == {(2023, 11, 14, 22, 13, 20)}


def test_the_metadata_are_valid(distributions):
    from packaging.metadata import Metadata

    archive = zipfile.ZipFile(distributions[0])
    (name,) = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
    said = Metadata.from_email(archive.read(name), validate=True)
    assert said.license_expression == "BSD-3-Clause"
    assert said.description.startswith("# contrast-subgraphs")
    assert set(said.provides_extra) == {"combat", "dev", "docs", "files", "sdp", "workflow"}


def test_a_build_that_depends_on_the_place_is_an_error(building, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "placed"\nversion = "1"\n'
        "[tool.hatch.build.targets.wheel]\ninclude = ['*.py', 'here.txt']\n"
        "[tool.hatch.build.hooks.custom]\n"
    )
    (source / "placed.py").touch()
    (source / "hatch_build.py").write_text(
        "import pathlib\n"
        "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "class Hook(BuildHookInterface):\n"
        "    def initialize(self, version, build_data):\n"
        "        pathlib.Path(self.root, 'here.txt').write_text(self.root)\n"
    )
    names = ["pyproject.toml", "placed.py", "hatch_build.py"]
    with pytest.raises(SystemExit, match="two builds differ"):
        building["build_twice"](source, names, 1_700_000_000, tmp_path / "dist")


def test_what_cannot_be_built_says_why(building, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'nothing'\n")
    with pytest.raises(SystemExit, match="it cannot be built"):
        building["build"](tmp_path, tmp_path / "dist", 0)
