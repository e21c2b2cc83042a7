"""One's own data at full size: a folder of matrices to contrast subgraphs with bounds.

    python -m benchmarks.own_data [--regions 1000] [--subjects 500] [--folder FOLDER]

Makes matrices of weights (one .npy file a subject, single precision, 15 regions tied in one
group) in a temporary folder, and runs the workflow on two cores as far as the contrast
subgraphs, with the config that `contrast-subgraphs init` proposes. Prints, as Markdown, wall
time and peak memory of each job, and how far the subgraphs are proved.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from contrast_subgraphs.config.propose import propose_config

from . import ROOT

PLANTED = 15


def make(folder, regions, subjects):
    """Write a table of people and a matrix for each."""
    rng = np.random.default_rng(0)
    groups = np.where(np.arange(subjects) % 2, "patient", "control")
    names = [f"sub-{number:04d}" for number in range(subjects)]
    folder.mkdir(parents=True)
    pd.DataFrame({"participant_id": names, "group": groups}).to_csv(
        folder / "participants.tsv", sep="\t", index=False
    )
    for name, group in zip(names, groups, strict=True):
        upper = np.triu(rng.standard_normal((regions, regions), np.float32), 1)
        if group == "patient":
            upper[:PLANTED, :PLANTED] += np.triu(np.ones((PLANTED, PLANTED), np.float32), 1)
        np.save(folder / f"{name}.npy", upper + upper.T)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--regions", type=int, default=1000)
    parser.add_argument("--subjects", type=int, default=500)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        place = Path(temporary)
        make(place / "data", options.regions, options.subjects)
        text = propose_config(place / "data").text
        (place / "mine.yaml").write_text(text, encoding="utf-8")
        contrasts = ("control-patient", "patient-control", "symmetric")
        targets = [f"results/folder/contrast/all/{name}.json" for name in contrasts]
        begin = time.perf_counter()
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        command += ["--cores", "2", "--quiet", "all", "--configfile", "mine.yaml", "--", *targets]
        subprocess.run(command, cwd=place, check=True, stdout=sys.stderr)
        wall = time.perf_counter() - begin
        print("| job | wall, s | CPU, s | memory, MB |\n| --- | --- | --- | --- |")
        for path in sorted(place.glob("results/folder/benchmarks/**/*.tsv")):
            row = pd.read_csv(path, sep="\t").iloc[0]
            name = path.relative_to(place / "results/folder/benchmarks").with_suffix("")
            print(f"| {name} | {row['s']:.0f} | {row['cpu_time']:.0f} | {row['max_rss']:.0f} |")
        print(
            f"\n{options.subjects} subjects, {options.regions} regions: {wall:.0f} s of wall time"
        )
        for target in targets:
            record = json.loads((place / target).read_text(encoding="utf-8"))
            sets = record["subgraphs"]
            gaps = max(entry["gap"] for entry in sets)
            proved = sum(entry["optimal"] for entry in sets)
            sizes = ", ".join(str(len(entry["nodes"])) for entry in sets)
            print(
                f"{record['contrast']}: {proved} of {len(sets)} proved, gap at most {gaps:.1%}; "
                f"regions: {sizes}"
            )


if __name__ == "__main__":
    main()
