"""Small studies that can be changed and run again, a folder each: data, config and results.

All paths are relative to the folder, so that a copy of it is the same study.
"""

import copy
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from images import write_atlas, write_image
from own_data import atlas, matrix, people, series, write_release
from pipelines import Study
from workflow_runs import digests, planned_files, run, small_archive

#: A run of seconds, as far as the contrast subgraphs.
SHORT = {
    "contrast": {
        "percentiles": [80, 90],
        "limits": {"nodes": 100, "alternatives": 20},
        "alternatives": 0,
    },
    "inference": {"permutations": 0},
    "methods": ["cs-p1"],
    "evaluation": {"repeats": {"paper": 2, "nested": 2}, "folds": 2, "permutations": 1},
}
#: No cohort of the config's own.
NO_COHORTS = dict.fromkeys(["children", "adolescents", "eyesclosed", "male"])


class World:
    """A study in a folder, with its config as a dict."""

    def __init__(self, folder, config):
        self.folder, self.config = Path(folder), config
        self.data = self.folder / "data"
        self.source = config["source"]

    def copy(self, folder, results=True):
        """Copy the study, with what it has found or without; dates stay."""
        leave = None if results else shutil.ignore_patterns("results", ".snakemake")
        shutil.copytree(self.folder, folder, ignore=leave, symlinks=True)
        return World(folder, copy.deepcopy(self.config))

    @property
    def settings(self):
        """The config's section of the source."""
        return self.config["sources"][self.source]

    def targets(self):
        """Return all graphs, and the contrast subgraphs of the cohorts of two groups."""
        names = [name for name, one in self.config["cohorts"].items() if one is not None]
        graphs = [f"graphs/{name}.{ending}" for name in names for ending in ("npz", "tsv")]
        first, second = list(self.config["groups"])[:2]
        contrasts = [f"contrast/{name}/{first}-{second}.json" for name in names]
        found = [*graphs, *contrasts, "graphs/excluded.tsv", "data/atlas.tsv"]
        return [f"results/{self.source}/{target}" for target in found]

    def _write(self):
        path = self.folder / "config.yaml"
        path.write_text(yaml.safe_dump(self.config, sort_keys=False), encoding="utf-8")
        return (path,)

    def run(self, checkout):
        """Run it once."""
        done = run(checkout, self.folder, *self.targets(), configs=self._write())
        assert done.returncode == 0, done.stdout
        return self

    def planned(self, checkout):
        """Return what another run would make."""
        return planned_files(checkout, self.folder, *self.targets(), configs=self._write())

    def found(self):
        """Return ``{file: hash}`` of all results."""
        return digests(self.folder / "results" / self.source)

    def edit_table(self, edit):
        """Change the table of people: `edit` takes and returns a data frame of texts."""
        path = self.data / "participants.tsv"
        table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
        edit(table).to_csv(path, sep="\t", index=False)


def config_of(source, settings, groups, cohorts, **more):
    """Return the config of a study."""
    first, second = groups
    drawn = {f"{first}-{second}": 90, f"{second}-{first}": 90}
    report = {
        "cohorts": list(cohorts),
        "contrast_large": drawn,
        "contrast_small": dict(drawn),
        "contrast_symmetric": {"symmetric": 90},
    }
    config = {"source": source, "sources": {source: settings}, "groups": groups, "report": report}
    return {**config, "cohorts": NO_COHORTS | cohorts, **SHORT, **more}


OWN_GROUPS = {"control": "group == 'control'", "patient": "group == 'patient'"}


def own_matrices(folder):
    """Make a study of own matrices (a folder m of 14 people, another m2 of the same people)."""
    world = World(
        folder,
        config_of(
            "folder",
            {"subjects": "data/participants.tsv", "files": "m/{id}.csv", "kind": "matrix"},
            OWN_GROUPS,
            {"everybody": {"where": "True"}},
            graph={"weights": "weighted", "threshold": None},
        ),
    )
    world.data.mkdir(parents=True)
    table = people({"control": 7, "patient": 7}).assign(
        name=[f"p{number:02d}" for number in range(14)],
        place=["X", "Y"] * 7,
        years=[str(30 + number) for number in range(14)],
        fd=[str(0.1 + number / 100) for number in range(14)],
    )
    table.to_csv(world.data / "participants.tsv", sep="\t", index=False)
    rng = np.random.default_rng(0)
    for own in ("m", "m2", "named", "long", "series", "counts"):
        (world.data / own).mkdir()
    names = [f"Région {number}" for number in range(8)]
    for row in table.itertuples():
        planted = list(range(4)) if row.group == "control" else [5, 6, 7]
        for own in ("m", "m2"):
            values = matrix(rng, 8, planted, 0.4)
            frame = pd.DataFrame(values, columns=names)
            frame.to_csv(world.data / own / f"{row.participant_id}.csv", index=False)
        frame.to_csv(world.data / "named" / f"{row.name}.csv", index=False)
        counts = frame.abs().mul(100).round()
        counts.to_csv(world.data / "counts" / f"{row.participant_id}.csv", index=False)
        volumes = pd.DataFrame(series(rng, 8, 30, planted, 1.0), columns=names)
        volumes.to_csv(world.data / "series" / f"{row.participant_id}.csv", index=False)
        arrays = {"one": values, "two": matrix(rng, 8, planted, 0.2)}
        np.savez(world.data / "long" / f"{row.participant_id}.npz", **arrays)
    atlas(8).to_csv(world.data / "regions.csv", index=False)
    return world


def own_images(folder):
    """Make a study of images with the confounds of fMRIPrep's names beside them."""
    world = World(
        folder,
        config_of(
            "folder",
            {
                "subjects": "data/participants.tsv",
                "files": "func/{participant_id}_task-rest_desc-preproc_bold.nii.gz",
                "kind": "image",
                "image": {"atlas": "data/regions.nii.gz"},
            },
            OWN_GROUPS,
            {"everybody": {"where": "True"}},
        ),
    )
    (world.data / "func").mkdir(parents=True)
    # Few people: each image is a job that imports nilearn.
    study = Study(6, 6, (1, 3, 5))
    groups = ["control", "patient"] * 3
    table = pd.DataFrame(
        {"participant_id": [f"sub-{label}" for label in study.labels], "group": groups}
    )
    table.to_csv(world.data / "participants.tsv", sep="\t", index=False)
    write_atlas(world.data / "regions.nii.gz")
    for label in study.labels:
        stem = f"sub-{label}_task-rest"
        write_image(world.data / "func" / f"{stem}_desc-preproc_bold.nii.gz", study.series[label])
        sidecar = world.data / "func" / f"{stem}_desc-preproc_bold.json"
        sidecar.write_text('{"RepetitionTime": 2.0}')
    return world


def local_release(folder):
    """Make a study of a release in ABIDE's layout on this machine, with two atlases."""
    world = World(
        folder,
        config_of(
            "abide",
            {"url": "data/release", "derivative": "rois_ho", "attempts": 1},
            {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"},
            {"everybody": {"where": "True"}},
        ),
    )
    world.data.mkdir(parents=True)
    write_release(world.data / "release", "rois_ho", range(1, 61))
    write_release(world.data / "other", "rois_ho", range(1, 61), subjects=22)
    outputs = world.data / "release" / "Outputs" / "dparsf"
    shutil.copytree(outputs / "filt_global", outputs / "nofilt_global")
    for place in (outputs / "nofilt_global", world.data / "other" / "Outputs"):
        for path in place.rglob("*.1D"):
            other_series(path)
    return world


def other_series(path):
    """Give the first region of a ``.1D`` file another series."""
    header, *rows = path.read_text(encoding="ascii").splitlines()
    values = [row.split("\t") for row in rows]
    shifted = [row[0] for row in values[5:] + values[:5]]
    lines = ["\t".join([first, *row[1:]]) for first, row in zip(shifted, values, strict=True)]
    path.write_text("\r\n".join([header, *lines]) + "\r\n", encoding="ascii", newline="")


def published_archive(folder):
    """Make a study of an archive laid out as the authors' graphs are."""
    world = World(
        folder,
        config_of(
            "published",
            {"archive": "data/archive.zip"},
            {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"},
            {"children": {"where": "True"}},
        ),
    )
    world.data.mkdir(parents=True)
    small_archive(world.data / "archive.zip", subjects=8)
    small_archive(world.data / "other.zip", subjects=9)
    return world


def simulated(folder):
    """Make a study of simulated people."""
    world = World(
        folder,
        config_of(
            "simulated",
            {"subjects": 60, "effect": 0.6},
            {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"},
            {"everybody": {"where": "True"}},
        ),
    )
    world.data.mkdir(parents=True)
    return world


WORLDS = {
    "own": own_matrices,
    "images": own_images,
    "release": local_release,
    "published": published_archive,
    "simulated": simulated,
}


def keep_dates(path, state):
    """Give a file the dates that it had."""
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
