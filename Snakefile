# Contrast subgraphs of brain networks: from ABIDE to the tables and figures of Lanciano,
# Bonchi and Gionis (KDD 2020).
#
#                     ┌──► contrast ────► inference ──┐
#     data ──► graphs ┤                               ├──► report
#                     └──► embeddings ──► evaluation ─┘
#
# (The evaluation also reads the graphs, the report also graphs and contrast subgraphs.)
# A stage has one name: that of its rule file in workflow/rules, of its package in
# workflow/contrast_subgraphs, and of its folder in results/<source>; the stage report writes
# tables/, figures/ and report.html.

import time

from snakemake.utils import min_version

min_version("9.27")

STARTED = time.time()


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/graphs.smk"
include: "workflow/rules/contrast.smk"
include: "workflow/rules/inference.smk"
include: "workflow/rules/embeddings.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        rules.compile.output if COHORTS else [],
        rules.tables.input if COHORTS else [],
        rules.figures.input if COHORTS else [],
        rules.report.output if COHORTS else [],
        OMNIBUS_FILES,
        (
            [f"{GRAPHS}/subjects.npz", f"{DATA}/atlas.tsv"]
            if config.get("only_graphs")
            else []
        ),


onsuccess:
    # The last three lines of the report's log say what was found, where it is, what to read first.
    said = Path(f"{LOGS}/report/report.log")
    if said.is_file() and said.stat().st_mtime > STARTED:
        lines = said.read_text(encoding="utf-8").splitlines()
        print("", *lines[-3:], sep="\n", file=sys.stderr)
