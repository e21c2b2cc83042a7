"""Series made on this machine: a release shaped like ABIDE's, with a known answer.

Every subject's brain is a mixture of sources, whose maps over the regions are drawn from a
covariance made of the atlas's centroids; each site adds maps of its own. Their time courses are
noise limited to 0.01 to 0.1 Hz; the global signal is regressed out, as in the paper's release.

One more source is shared by a set of regions: in TD subjects by one set, in ASD subjects by
another. These are the planted contrast subgraphs; `effect` is the source's strength.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from ..core.atomic_files import save_text
from ..core.checks import check_count
from ..core.seeds import generator
from .abide import Release
from .atlases import load_aal
from .phenotypes import HEADER, NO_FILE
from .series import write_1d

#: For each site: share of the subjects, repetition time (s), lengths (volumes), eyes
#: during the scan (1 open, 2 closed). The sites vary as much as ABIDE's.
_SITES = {
    "ALDER": (0.20, 2.0, (175,), 1),
    "BIRCH": (0.16, 1.5, (195, 220), 2),
    "CEDAR": (0.14, 2.0, (145,), 1),
    "ELM": (0.12, 3.0, (115,), 2),
    "HAZEL": (0.12, 2.5, (123, 151), 1),
    "LARCH": (0.10, 1.656, (205,), 1),
    "MAPLE": (0.09, 3.0, (115, 130), 2),
    "ROWAN": (0.07, 2.0, (175, 235), 1),
}
#: ``SITE_ID`` of the simulated sites.
SITES = tuple(_SITES)

#: The planted contrast subgraphs, in the systems in which the paper finds its own.
PLANTED = {
    "td-asd": tuple(
        """
Frontal_Sup_Orb_L Frontal_Mid_L Frontal_Mid_R Frontal_Inf_Tri_R Frontal_Inf_Orb_L
Parietal_Inf_L Parietal_Sup_R Angular_R Temporal_Inf_L Temporal_Mid_R Cerebelum_Crus1_R
Cerebelum_Crus2_L
        """.split()
    ),
    "asd-td": tuple(
        """
Olfactory_L Cingulum_Post_R Hippocampus_R ParaHippocampal_L Amygdala_L Caudate_R Putamen_L
Thalamus_L Fusiform_R Heschl_R Cerebelum_3_R
        """.split()
    ),
}
#: Regions that fall out of the field of view, from the bottom of the brain.
_CUT_OFF = ("Cerebelum_10_L", "Cerebelum_10_R", "Cerebelum_9_L", "Vermis_10", "Cerebelum_8_R")

# In Hz: the band that the paper's release keeps.
_BAND = (0.01, 0.1)
# Maps that one subject's series are mixed from, and maps that a site adds to all its subjects.
_SOURCES = 40
_SITE_MAPS = 3
# Mean variance of the planted source at effect 1 (that of a region is about 1).
_STRENGTH = 0.3
# Mean variance of a mode of `Brain`.
_MODE = 0.12
# With fewer subjects some cohorts would lack a group.
_SMALLEST = 40

# Shares of the subjects: ages in the two cohorts chosen by age; men; what is unusable.
_AGES = ((0.18, 6.5, 9.4), (0.35, 14.6, 19.4), (0.27, 9.6, 14.4), (0.20, 19.6, 45.0))
_MEN = 0.80
_NO_FILE = 0.06
_CONSTANT = 0.045


def release_source(folder):
    """Return settings, as in ``sources.abide``, with which `data.abide` reads what was written."""
    return {
        "url": str(folder),
        "data_dir": None,
        "pipeline": "dparsf",
        "band_pass_filtering": True,
        "global_signal_regression": True,
        "derivative": "rois_aal",
        "quality_checked": False,
        "missing": "error",
        "mismatch": "error",
        "attempts": 1,
    }


def truth(source):
    """Return ``effect``, and ``planted``: each contrast's ``nodes`` (from 0) and ``regions``."""
    names = load_aal()["name"]
    planted = {}
    for contrast, regions in PLANTED.items():
        own = names[names.isin(regions)]
        planted[contrast] = {"nodes": own.index.tolist(), "regions": own.tolist()}
    return {"effect": source["effect"], "planted": planted}


def write_release(source, seed, folder):
    """Write a whole release: the phenotypic file and a ``.1D`` file per subject.

    `source`: ``subjects`` (rows of the phenotypic file) and ``effect`` (0: nothing is planted).
    """
    # With fewer subjects some cohorts would have only one group.
    check_count(source["subjects"], "sources.simulated.subjects", _SMALLEST)
    release = Release(release_source(folder), Path(folder))
    phenotypes = draw_phenotypes(source["subjects"], seed)
    brain = Brain(seed)
    constant = _constant_regions(phenotypes, seed)
    release.path("x").parent.mkdir(parents=True, exist_ok=True)
    usable = phenotypes[phenotypes["FILE_ID"] != NO_FILE]
    rows = tqdm(usable.itertuples(), total=len(usable), desc="simulating", unit="subject")
    for row in rows:
        series = brain.draw(row.FILE_ID, row.SITE_ID, row.DX_GROUP, source["effect"])
        series[:, constant.get(row.FILE_ID, [])] = 0
        write_1d(release.path(row.FILE_ID), brain.codes, series)
    save_text(release.phenotypes(), phenotypes.to_csv(index=False, lineterminator="\n"))


def draw_phenotypes(n_subjects, seed):
    """Return a release's phenotypic table: ABIDE's columns, most of them empty.

    People's properties come in fixed shares, so that all cohorts of the default config exist for
    any seed.
    """
    rng = generator(seed, "simulated", "phenotypes")

    def deal(shares, **within):
        """Deal labels out in fixed shares, within each group."""
        labels = np.empty(n_subjects, dtype=int)
        for group in (1, 2):
            members = np.flatnonzero(group_of == group)
            edges = np.round(np.cumsum(shares) / np.sum(shares) * len(members)).astype(int)
            labels[rng.permutation(members)] = np.searchsorted(
                edges, np.arange(len(members)), side="right"
            )
        return labels

    group_of = 1 + rng.permutation(np.arange(n_subjects) % 2)
    site = np.array(SITES)[deal([shape[0] for shape in _SITES.values()])]
    band = deal([share for share, *_ in _AGES])
    low, high = np.array([age[1:] for age in _AGES]).T
    number = 60001 + np.arange(n_subjects)
    has_file = deal([_NO_FILE, 1 - _NO_FILE]) == 1
    # In a small release, who counts as a child must not depend on who has no file.
    file_id = [
        f"{name.capitalize()}_{subject:07d}" if present else NO_FILE
        for name, subject, present in zip(site, number, has_file, strict=True)
    ]
    eyes = np.array([_SITES[name][3] for name in site])
    iq = np.round(np.clip(rng.normal(108, 13, n_subjects), 65, 145))
    table = pd.DataFrame(
        {
            HEADER[0]: np.arange(n_subjects),
            HEADER[1]: np.arange(1, n_subjects + 1),
            "SUB_ID": number,
            "X": np.arange(1, n_subjects + 1),
            "subject": number,
            "SITE_ID": site,
            "FILE_ID": file_id,
            "DX_GROUP": group_of,
            "DSM_IV_TR": np.where(group_of == 1, 1, 0),
            "AGE_AT_SCAN": np.round(rng.uniform(low[band], high[band]), 2),
            "SEX": np.where(deal([_MEN, 1 - _MEN]) == 0, 1, 2),
            "HANDEDNESS_CATEGORY": np.where(rng.random(n_subjects) < 0.1, "L", "R"),
            "FIQ": np.where(rng.random(n_subjects) < 0.03, -9999, iq).astype(int),
            "EYE_STATUS_AT_SCAN": eyes,
            "func_mean_fd": np.round(rng.gamma(2.0, 0.06, n_subjects), 10),
            "qc_rater_1": np.where(rng.random(n_subjects) < 0.1, "fail", "OK"),
            "qc_anat_rater_2": np.where(rng.random(n_subjects) < 0.1, "maybe", "OK"),
            "qc_func_rater_2": np.where(rng.random(n_subjects) < 0.1, "maybe", "OK"),
            "qc_anat_rater_3": "OK",
            "qc_func_rater_3": "OK",
            "SUB_IN_SMP": 1,
        }
    )
    return table.reindex(columns=HEADER)


def _constant_regions(phenotypes, seed):
    """Return the columns that are cut off, for the few subjects whose scan missed some regions."""
    names = load_aal()["name"].tolist()
    rng = generator(seed, "simulated", "constant")
    constant = {}
    for group in (1, 2):
        rows = (phenotypes["DX_GROUP"] == group) & (phenotypes["FILE_ID"] != NO_FILE)
        files = phenotypes.loc[rows, "FILE_ID"].to_numpy()
        for file_id in rng.permutation(files)[: max(1, round(_CONSTANT * len(files)))]:
            regions = _CUT_OFF[: rng.integers(1, len(_CUT_OFF) + 1)]
            constant[file_id] = [names.index(region) for region in regions]
    return constant


def region_covariance(atlas):
    """Return a plausible correlation of the signals of an atlas's regions, (n_rois, n_rois)."""
    place = atlas[["x", "y", "z"]].to_numpy(float)
    mirrored = place * [-1, 1, 1]

    def near(a, b, scale):
        distance = np.linalg.norm(a[:, None] - b[None], axis=2)
        return np.exp(-((distance / scale) ** 2) / 2)

    system = atlas["system"].to_numpy()
    same = (system[:, None] == system[None]).astype(float)
    # Each part is positive semidefinite (the second is the kernel of functions that are
    # even under the mirror), and so is their sum.
    # Near regions, near or mirrored regions, regions of one system, and noise of each region.
    covariance = (
        0.35 * near(place, place, 22)
        + 0.40 * (near(place, place, 12) + near(place, mirrored, 12)) / 2
        + 0.10 * same
        + 0.15 * np.eye(len(atlas))
    )
    scale = np.sqrt(np.diag(covariance))
    return covariance / np.outer(scale, scale)


class Brain:
    """Draws subjects' series. What all subjects share is made once.

    `planted`: for each contrast (``td-asd``, ``asd-td``) the regions that share one more source in
    its first group; `modes`: how many sources all subjects share, at strengths of their own. With
    5, the difference of two groups of 60 is like those of ABIDE (docs/solver.md).
    """

    def __init__(self, seed, atlas=None, planted=None, modes=0):
        atlas, planted = load_aal() if atlas is None else atlas, planted or PLANTED
        names = atlas["name"].tolist()
        self.seed = seed
        self.codes = atlas["code"].tolist()
        self.root = np.linalg.cholesky(region_covariance(atlas))
        # Regions differ in their amplitude as real ones do; correlations must not depend on it.
        self.scale = generator(seed, "simulated", "scale").lognormal(2.6, 0.35, len(names))
        self.site_maps = {
            site: self._maps(generator(seed, "simulated", "site", site), _SITE_MAPS)
            for site in SITES
        }
        self.modes = self._maps(generator(seed, "simulated", "modes"), modes) * np.sqrt(modes)
        # DX_GROUP: 1 is ASD, 2 is TD.
        self.planted = {
            group: np.isin(names, planted[contrast]).astype(float)
            for group, contrast in ((1, "asd-td"), (2, "td-asd"))
        }

    def _maps(self, rng, count):
        """Draw maps of the regions, of shape (count, n_rois), with variance 1 in sum."""
        return rng.standard_normal((count, len(self.root))) @ self.root.T / np.sqrt(max(1, count))

    def draw(self, file_id, site, group, effect):
        """Return the series of one subject, of shape (n_volumes, n_rois)."""
        rng = generator(self.seed, "simulated", file_id)
        _, repetition, lengths, _ = _SITES[site]
        basis = band_limited_basis(int(rng.choice(lengths)), repetition)
        maps = [
            self._maps(rng, _SOURCES),
            0.45 * rng.uniform(0.5, 1.5) * self.site_maps[site],
            np.sqrt(_STRENGTH * effect * rng.gamma(1.5) / 1.5) * self.planted[group][None],
            np.sqrt(_MODE * rng.exponential(size=(len(self.modes), 1))) * self.modes,
        ]
        maps = np.concatenate(maps)
        weights = rng.standard_normal((basis.shape[1], len(maps)))
        series = basis @ (weights @ maps)
        # Regress out the global signal, as in the paper's release: correlations then center on 0.
        signal = series.mean(axis=1, keepdims=True)
        series -= signal @ (signal.T @ series) / (signal.T @ signal)
        return series * self.scale


def band_limited_basis(n_volumes, repetition):
    """Return sines and cosines from 0.01 to 0.1 Hz: white weights give a variance of about 1."""
    frequencies = np.fft.rfftfreq(n_volumes, repetition)
    kept = np.flatnonzero((frequencies >= _BAND[0]) & (frequencies <= _BAND[1]))
    angle = 2 * np.pi * np.outer(np.arange(n_volumes), kept) / n_volumes
    return np.hstack([np.cos(angle), np.sin(angle)]) / np.sqrt(len(kept))


def recovery(truth, records):
    """Return the table of planted and found sets of the records of the contrast stage.

    For every contrast, the answer with the size nearest to the planted set's counts; if two are
    equally near, that with the smaller percentile.
    """
    rows = []
    for record in records:
        contrast = record["contrast"]
        answers = [one for one in record["subgraphs"] if one["percentile"] is not None]
        if contrast not in truth["planted"] or not answers:
            continue
        planted = set(truth["planted"][contrast]["nodes"])
        best = min(
            answers, key=lambda one: (abs(len(one["nodes"]) - len(planted)), one["percentile"])
        )
        found = {int(node) for node in best["nodes"]}
        common = len(found & planted)
        shares = common / len(found) if found else 0.0, common / len(planted)
        named = record.get("cohort", ""), contrast, truth["effect"], best["percentile"]
        rows.append((*named, len(planted), len(found), common, *shares))
    columns = "cohort contrast effect percentile planted found common precision recall"
    return pd.DataFrame(rows, columns=columns.split())
