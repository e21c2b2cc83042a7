"""Fixtures shared by the tests: the real data beside the checkout, where it is there."""

import gc
import os
import zipfile
from pathlib import Path

# Before numpy is imported: every process of pytest-xdist would start a thread for each core, and
# they wait for each other by turning. The jobs of a run set their own numbers (scripts/job.py).
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
import pytest
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from workflow_runs import checkout, small_run  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config):
    """Let pytest-xdist take the files in their order, not those with most tests first."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    """Long files come first, so that no process is left with one at the end."""
    long = {item.path for item in items if item.get_closest_marker("slow")}
    rooms = "workflow", "report"
    items.sort(key=lambda item: not (item.path in long or item.path.parent.name in rooms))


def pytest_collection_finish():
    """Let the garbage collector, which nilearn calls at each image, pass over what will stay."""
    gc.freeze()


@pytest.fixture(scope="session")
def root():
    """Folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared():
    """Folder with the published graphs and a piece of the ABIDE release."""
    folder = Path(os.environ.get("CONTRAST_SUBGRAPHS_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the published graphs are not beside this checkout (see CONTRIBUTING)")
    return folder


@pytest.fixture(scope="session")
def published(shared):
    """Read one cohort of the authors' published graphs, independently of the product's reader."""
    archive = zipfile.ZipFile(shared / "contrast-subgraph-master.zip")
    cache = {}

    def read(cohort):
        if cohort not in cache:
            names = sorted(
                name
                for name in archive.namelist()
                if f"/datasets/{cohort}/" in name and name.endswith(".txt")
            )
            stack = np.stack(
                [
                    np.array(archive.read(name).split(), dtype=float).reshape(116, 116)
                    for name in names
                ]
            ).astype(np.uint8)
            stack[:, np.arange(116), np.arange(116)] = 0
            cache[cohort] = CohortGraphs(
                weights=stack,
                y=np.array([int("/asd/" in name) for name in names]),
                subject=np.array([Path(name).stem for name in names]),
                roi=load_aal()["name"].to_numpy(str),
            )
        return cache[cohort]

    return read
