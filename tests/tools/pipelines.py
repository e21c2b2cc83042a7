"""Small data sets in the shape in which pipelines write theirs, with their numbers."""

import json

import numpy as np
import pandas as pd
from images import CODES, write_atlas, write_image
from scipy.io import savemat

P, VOLUMES = 9, 60
PLANTED = (1, 4, 6)
NAMES = [f"LH_{k}_Vis" if k < 5 else f"RH_{k}_Default" for k in range(P)]


class Study:
    """Made series of people of two groups; one group shares a signal in three regions."""

    def __init__(self, people=8, p=P, planted=PLANTED):
        rng = np.random.default_rng(3)
        self.labels = [f"{k:02d}" for k in range(1, people + 1)]
        self.groups = ["control" if k < people // 2 else "patient" for k in range(people)]
        self.series = {}
        for label, group in zip(self.labels, self.groups, strict=True):
            values = rng.standard_normal((VOLUMES, p))
            if group == "patient":
                values[:, list(planted)] += 1.5 * rng.standard_normal((VOLUMES, 1))
            self.series[label] = values.round(6)

    def correlations(self, label):
        return np.corrcoef(self.series[label].T).round(6)

    def z(self, label):
        return np.arctanh(self.correlations(label) - np.eye(P)).round(6)

    def counts(self, label):
        values = np.floor(np.exp(3 * np.abs(self.correlations(label))))
        np.fill_diagonal(values, 0)
        return values

    def people(self, folder, prefix="sub-", name="participants.tsv"):
        """Write the table of people."""
        folder.mkdir(parents=True, exist_ok=True)
        table = pd.DataFrame(
            {
                "participant_id": [prefix + label for label in self.labels],
                "sex": ["MF"[k % 2] for k in range(len(self.labels))],
                "age": [20 + k for k in range(len(self.labels))],
                "group": self.groups,
            }
        )
        table.to_csv(folder / name, sep="\t", index=False)


def description(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"Name": name, "BIDSVersion": "1.9.0", "GeneratedBy": [{"Name": name}]})
    (folder / "dataset_description.json").write_text(text)


def place(folder, label, name, session=None):
    """Return the path of a file of a person, below func."""
    parts = [f"sub-{label}", *([f"ses-{session}"] if session else []), "func"]
    path = folder.joinpath(*parts, "_".join([*parts[:-1], name]))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def motion(path, rng, volumes=VOLUMES):
    table = pd.DataFrame(rng.random((volumes, 7)), columns=[*"abcdef", "framewise_displacement"])
    table.to_csv(path, sep="\t", index=False)
    return table["framewise_displacement"].mean()


def xcp_d(folder, study, atlases=("4S156Parcels",), sessions=(None,), runs=(None,)):
    """XCP-D: series and matrices with names, motion, the atlas's table; participants above."""
    study.people(folder.parent.parent)
    description(folder, "XCP-D")
    rng, displacement = np.random.default_rng(0), {}
    for label in study.labels:
        for session in sessions:
            for run in runs:
                task = "task-rest" + (f"_run-{run}" if run else "")
                fd = motion(place(folder, label, f"{task}_motion.tsv", session), rng)
                displacement.setdefault(label, []).append(fd)
                for atlas in atlases:
                    stem = f"{task}_space-MNI152NLin2009cAsym_seg-{atlas}_stat"
                    frame = pd.DataFrame(study.series[label], columns=NAMES)
                    path = place(folder, label, f"{stem}-mean_timeseries.tsv", session)
                    frame.to_csv(path, sep="\t", index=False)
                    frame = pd.DataFrame(study.correlations(label), NAMES, NAMES)
                    path = place(folder, label, f"{stem}-pearsoncorrelation_relmat.tsv", session)
                    frame.to_csv(path, sep="\t", index_label="Node")
                    path = place(folder, label, f"{stem}-coverage_bold.tsv", session)
                    pd.DataFrame([np.ones(P)], columns=NAMES).to_csv(path, sep="\t", index=False)
    for atlas in atlases:
        table = folder / "atlases" / f"atlas-{atlas}" / f"atlas-{atlas}_dseg.tsv"
        table.parent.mkdir(parents=True)
        networks = ["Vis"] * 5 + ["Default"] * (P - 5)
        frame = pd.DataFrame({"index": range(1, P + 1), "label": NAMES, "network_label": networks})
        frame.to_csv(table, sep="\t", index=False)
    return {label: np.mean(values) for label, values in displacement.items()}


def fmriprep(folder, study):
    """fMRIPrep: images of six regions and confounds; participants above. Returns the atlas."""
    study.people(folder.parent.parent)
    description(folder, "fMRIPrep")
    atlas = write_atlas(folder.parent.parent / "regions.nii.gz")
    rows = [f"{code}\tR{code}" for code in sorted(CODES)]
    table = folder.parent.parent / "regions.tsv"
    table.write_text("\n".join(["index\tlabel", *rows]) + "\n")
    for label in study.labels:
        stem = "task-rest_space-MNI152NLin2009cAsym_desc-preproc_bold"
        write_image(place(folder, label, f"{stem}.nii.gz"), study.series[label])
    return atlas


def giga_connectome(folder, study):
    study.people(folder)
    description(folder, "giga_connectome")
    for label in study.labels:
        stem = "task-rest_seg-Schaefer20187Networks"
        path = place(folder, label, f"{stem}_desc-100Parcels7NetworksSimple_timeseries.tsv")
        pd.DataFrame(study.series[label]).to_csv(path, sep="\t", index=False)


def giga_matrices(folder, study):
    study.people(folder)
    description(folder, "giga_connectome")
    for label in study.labels:
        name = "task-rest_seg-MIST_meas-PearsonCorrelation_desc-simple_relmat.tsv"
        frame = pd.DataFrame(study.correlations(label))
        frame.to_csv(place(folder, label, name), sep="\t", index=False)


def halfpipe(folder, study):
    study.people(folder)
    for label in study.labels:
        path = place(folder, label, "task-rest_feature-corr_atlas-schaefer_timeseries.tsv")
        np.savetxt(path, study.series[label], delimiter="\t")
        name = "task-rest_feature-corr_atlas-schaefer_desc-correlation_matrix.tsv"
        path = place(folder, label, name)
        np.savetxt(path, study.correlations(label), delimiter="\t")


def cpac(folder, study):
    study.people(folder)
    for label in study.labels:
        stem = "task-rest_run-1_atlas-AAL_space-MNI152NLin6ASym_reg-36Parameter_desc"
        path = place(folder, label, f"{stem}-Mean_timeseries.1D", session="1")
        header = "\t".join(f"#{2001 + k}" for k in range(P))
        np.savetxt(path, study.series[label], delimiter="\t", header=header, comments="")
        path = place(folder, label, f"{stem}-PearsonNilearn_correlations.tsv", session="1")
        np.savetxt(path, study.correlations(label), delimiter="\t")


def qsirecon(folder, study):
    study.people(folder)
    for label in study.labels:
        path = folder / f"sub-{label}" / "dwi" / f"sub-{label}_space-T1w_connectivity.mat"
        path.parent.mkdir(parents=True)
        counts = study.counts(label)
        arrays = {"atlas_AAL_sift_radius2_count_connectivity": counts}
        arrays["atlas_AAL_radius2_meanlength_connectivity"] = counts * 2
        arrays["atlas_AAL_region_ids"] = np.arange(1, P + 1)
        arrays["atlas_AAL_region_labels"] = np.array(NAMES, dtype=object)
        savemat(path, arrays)


def connectome_mapper(folder, study):
    study.people(folder)
    for label in study.labels:
        stem = f"sub-{label}_atlas-L2018_res-scale1_conndata-network_connectivity"
        path = folder / f"sub-{label}" / "dwi" / f"{stem}.mat"
        path.parent.mkdir(parents=True)
        savemat(path, {"number_of_fibers": study.counts(label), "FA_mean": study.counts(label) / 9})


def dpabi(folder, study, ending="txt"):
    study.people(folder, prefix="Sub_", name="subjects.tsv")
    results = folder / "Results" / "ROISignals_FunImgARCWF"
    results.mkdir(parents=True)
    for label in study.labels:
        for name, values in (
            ("ROISignals", study.series[label]),
            ("ROICorrelation", study.correlations(label)),
            ("ROICorrelation_FisherZ", study.z(label)),
        ):
            path = results / f"{name}_Sub_{label}.{ending}"
            if ending == "mat":
                savemat(path, {name: values})
            else:
                np.savetxt(path, values, fmt="%.7e", delimiter="   ")
        order = "Order\tLabel in Mask\tROI Definition\n1\t1\taal\n"
        (results / f"ROI_OrderKey_Sub_{label}.tsv").write_text(order)


def dpabi_mat(folder, study):
    dpabi(folder, study, "mat")


def conn(folder, study):
    study.people(folder, prefix="Subject0", name="subjects.tsv")
    results = folder / "results" / "firstlevel" / "SBC_01"
    results.mkdir(parents=True)
    for label in study.labels:
        z = study.z(label)
        np.fill_diagonal(z, np.nan)
        arrays = {"Z": np.hstack([z, np.ones((P, 2))]), "names": np.array(NAMES, dtype=object)}
        arrays["names2"] = np.array([*NAMES, "x", "y"], dtype=object)
        savemat(results / f"resultsROI_Subject0{label}_Condition001.mat", arrays)


def fslnets(folder, study):
    study.people(folder, prefix="subject000", name="subjects.tsv")
    for label in study.labels:
        path = folder / "groupICA.dr" / f"dr_stage1_subject000{label}.txt"
        path.parent.mkdir(exist_ok=True)
        np.savetxt(path, study.series[label], fmt="%.6e", delimiter="  ", newline="  \n")


def afni_1d(folder, study):
    study.people(folder)
    (folder / "afni").mkdir()
    for label in study.labels:
        header = "\t".join(["File", "Sub-brick", *(f"Mean_{k}" for k in range(1, P + 1))])
        lines = [header]
        for k, row in enumerate(study.series[label]):
            lines.append("\t".join([f"sub-{label}+tlrc", f"{k}[?]", *map(str, row)]))
        (folder / "afni" / f"sub-{label}_ts.1D").write_text("\n".join(lines) + "\n")


def afni_netcc(folder, study):
    study.people(folder)
    for label in study.labels:
        lines = [f"# {P}  # Number of network ROIs", "# 2  # Number of netcc matrices"]
        lines += ["# WITH_ROI_LABELS", "\t".join(f"   {name}" for name in NAMES)]
        lines += ["\t".join(f"{k:10d}" for k in range(1, P + 1))]
        for name, matrix in (("CC", study.correlations(label)), ("FZ", study.z(label))):
            lines += [f"# {name}", *("\t".join(f"{x:10.6f}" for x in row) for row in matrix)]
        (folder / f"sub-{label}_000.netcc").write_text("\n".join(lines) + "\n")


def mrtrix(folder, study):
    study.people(folder)
    for label in study.labels:
        path = folder / f"sub-{label}" / f"sub-{label}_connectome.csv"
        path.parent.mkdir()
        header = "command_history: tck2connectome tracks.tck nodes.mif connectome.csv"
        values = np.triu(study.counts(label))
        np.savetxt(path, values, fmt="%d", delimiter=",", header=header)


def dsi_studio(folder, study):
    study.people(folder)
    for label in study.labels:
        stem = f"sub-{label}.src.gz.gqi.1.25.fib.gz.aal.count.pass"
        names = np.frombuffer("\n".join([*NAMES, ""]).encode(), dtype=np.uint8)[None]
        arrays = {"connectivity": study.counts(label), "name": names, "atlas": names[:, :3]}
        savemat(folder / f"{stem}.connectivity.mat", arrays)
        (folder / f"{stem}.connectogram.txt").write_text("data\tdata\n1\t2\n")
        (folder / f"{stem}.network_measures.txt").write_text("density\t0.5\n")


#: Name -> who writes it, what holds each person's numbers, options of `init`, names of regions.
PIPELINES = {
    "xcp_d": (xcp_d, "series", {}, NAMES),
    "xcp_d matrices": (xcp_d, "matrix", {"kind": "matrix"}, NAMES),
    "giga_connectome": (giga_connectome, "series", {}, None),
    "giga_connectome matrices": (giga_matrices, "matrix", {}, None),
    "halfpipe": (halfpipe, "series", {}, None),
    "halfpipe matrices": (halfpipe, "matrix", {"kind": "matrix"}, None),
    "cpac": (cpac, "series", {}, None),
    "cpac matrices": (cpac, "matrix", {"kind": "matrix"}, None),
    "qsirecon": (
        qsirecon,
        "counts",
        {"key": "atlas_AAL_sift_radius2_count_connectivity"},
        None,
    ),
    "connectome_mapper": (connectome_mapper, "counts", {"key": "number_of_fibers"}, None),
    "dpabi": (dpabi, "series", {}, None),
    "dpabi_mat": (dpabi_mat, "series", {}, None),
    "conn": (conn, "z", {}, NAMES),
    "fslnets": (fslnets, "series", {}, None),
    "afni_1d": (afni_1d, "series", {}, None),
    "afni_netcc": (afni_netcc, "matrix", {}, NAMES),
    "mrtrix": (mrtrix, "counts", {}, None),
    "dsi_studio": (dsi_studio, "counts", {}, None),
}
