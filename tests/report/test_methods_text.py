"""The text for a methods section: each sentence follows its key or its result."""

import copy
import functools
import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.config import checked
from contrast_subgraphs.config.schema import config_schema
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.methods import METHODS
from contrast_subgraphs.report import methods_facts, methods_features
from contrast_subgraphs.report.findings import answer, findings
from contrast_subgraphs.report.methods_facts import Facts
from contrast_subgraphs.report.methods_text import (
    PARAGRAPHS,
    UNSAID,
    methods_text,
    read_methods,
    save_methods,
)
from contrast_subgraphs.report.names import Names
from contrast_subgraphs.report.references import bibtex, cited, references


@pytest.fixture(scope="module")
def default(root):
    """The checked config of the paper."""
    return checked(yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8")))


def with_keys(config, changes):
    """Return a copy of a checked config with other values of some keys, `a.b.c` -> value."""
    config = copy.deepcopy(config)
    for path, value in changes.items():
        place = config
        *above, last = path.split(".")
        for key in above:
            place = place.setdefault(key, {})
        place[last] = value
    return config


def tables_of(config, **changes):
    """Return tables as a run of the config has them, of its first cohort alone."""
    names = Names.of(config)
    cohort = next(iter(config["cohorts"]))
    contrast = next(iter(names.contrasts(cohort)))
    key = {"cohort": cohort, "contrast": contrast, "percentile": 80.0}
    effect = {"effect": 0.031, "low": 0.01, "high": 0.05, "d": 0.41, "in_sample": 0.08}
    effect |= config["inference"]["effects"]
    chosen = effect | {"cohort": cohort, "contrast": "chosen"}
    inside = {f"density_{name}": 0.2 for name in names.groups}
    inside |= {f"mean_weight_{name}": 0.2 for name in names.groups}
    region = key | dict.fromkeys(("share", "share_permuted", "share_critical"), 0.5)
    found = {
        "subgraphs": [key | {"size": 2, "optimal": True} | inside],
        "regions": [region | {"region": name, "system": ""} for name in ("A", "B")],
        "significance": [key | row_of_test(config)],
        "effects": [key | effect | {"share_chosen": 0.9}, chosen],
        "over_sites": [key | {"holds": 4, "count": 5}],
        "group_tests": [{"cohort": cohort}],
        "would_find": [{"cohort": cohort, "regions": 10, "share": 0.8, "level": 0.05}],
        "others": [key | {"effect": 0.1}],
        "confirmed": [{"cohort": cohort}],
        "confounds": [{"cohort": cohort, "p_confound": 0.4, "p_added": 0.2}],
        **scored(config, cohort, names.question(cohort).task),
    }
    made = {name: pd.DataFrame(rows) for name, rows in found.items()} | changes
    return {name: table for name, table in made.items() if table is not None}


def row_of_test(config):
    """Return the columns of a permutation test of a config."""
    held = [*config["graph"]["adjust"], *config["inference"]["covariates"]]
    p = dict.fromkeys(("p", "p_contrast", "p_familywise", "p_familywise_tail"), 0.02)
    how = {"blocks": config["inference"]["blocks"], "adjusted": "+".join(held)}
    return p | how | {"z": 3.0, "size": 2, "permutations": 1000, "exact": False}


def scored(config, cohort, task):
    """Return the table of scores of a config: protocol by protocol."""
    splits = config["evaluation"]["repeats"]
    own = {"cohort": cohort, "method": "cs-p1"}
    rows = [
        own | {"protocol": name, "repeats": splits.get(name, 7)}
        for name in config["evaluation"]["protocols"]
    ]
    if task == "predict":
        r = {"r_mean": 0.31, "control_r": 0.02, "adjusted_r": 0.2, "nuisance_r": 0.1}
        r |= {"permutations": 400, "within_sites": True, "p_holm": 0.04}
        return {"prediction": [row | r for row in rows if row["protocol"] != "paper"]}
    found = {"mean": 0.61, "ci_low": 0.52, "ci_high": 1.04, "p_holm": 0.03}
    found |= {"control_mean": 0.5, "permutations": 20, "p_value": 0.01}
    found |= {"site_control_mean": 0.53, "site_permutations": 400, "site_p_value": 0.02}
    found |= {"adjusted_mean": 0.58, "nuisance_mean": 0.55}
    return {"accuracy": [row | found for row in rows]}


def people(config, **columns):
    """Return members of the first cohort."""
    groups = list(config["groups"])[:2]
    table = pd.DataFrame({"subject": list("abcd"), "group": np.repeat(groups, 2)})
    return {next(iter(config["cohorts"])): table.assign(**columns)}


def said(config, *, tables=None, members=None, left_out=None, proven=(4, 4), provenance=None):
    tables = tables_of(config) if tables is None else tables
    names = Names.of(config)
    found = findings(tables, names, config)
    versions = {"run": {"version": "0.1"}, "versions": {"numpy": "2.1"}}
    rest = members or {}, left_out or {}, versions | (provenance or {})
    facts = Facts(config, names, tables, found, 116, proven, *rest)
    return methods_text(facts)


def alone(default):
    """Return the first cohort as the only one."""
    return {"children": default["cohorts"]["children"]}


def asking(default, contrasts):
    """Return a checked config with other questions in place of its cohorts."""
    config = with_keys(default, {"report.cohorts": "all"})
    return checked(config | {"cohorts": {}, "contrasts": contrasts})


def text_of(config, changes, **options):
    config = with_keys(config, changes)
    return " ".join(said(config, **options).paragraphs.values())


#: What a source, or a choice, must be for a key to count.
FOLDER = {"source": "folder", "graph.measure": "correlation"}
MATRIX = FOLDER | {"sources.folder.kind": "matrix"}
IMAGE = FOLDER | {"sources.folder.kind": "image"}
WEIGHTED = {"graph.weights": "weighted", "graph.threshold": None, "graph.sign": "signed"}
DENSDP = {"contrast.solver": "densdp"}
BASELINE = {"grid": "full", "best": {"default": {"epochs": 7}}, "full": {"epochs": [7, 9]}}
OWN = {"estimator": "mine:Mine", "label": "My own", "grid": {"k": [5, 10]}}
CLAIM = {"name": "temporal", "contrast": "td-asd", "regions": ["Temporal_*"]}
CLAIM |= {"between": ["Insula_L"]}
OTHER = {"methods": ["mine"], "own_methods": {"mine": {"estimator": "mine:Mine"}}}
SLEEP = {"sleep": {"where": "SEX == 1", "label": "Sleep", "description": "who slept"}}

#: Key -> another value, words that the text then holds, and what else must be so.
SAID = {
    "source": ("published", "that Lanciano et al. published", {}),
    "seed": (7, "the seed 7", {}),
    "missing_covariates": ("drop", "while it was of others, were left out", {}),
    "sources.abide.pipeline": ("cpac", "C-PAC", {}),
    "sources.abide.band_pass_filtering": (False, "without band-pass", {}),
    "sources.abide.global_signal_regression": (False, "without global signal", {}),
    "sources.abide.derivative": ("rois_ho", "Harvard-Oxford", {}),
    "sources.abide.quality_checked": (True, "failed the release's visual", {}),
    "sources.abide.missing": ("skip", "could not be fetched", {}),
    "sources.abide.mismatch": ("warn", "differ from those of the release", {}),
    "sources.published.archive": ("https://x.org/a.zip", "x.org/a", {"source": "published"}),
    "sources.folder.kind": ("matrix", "Connectivity matrices of the participants", FOLDER),
    "sources.folder.runs": ("first", "the first was used", FOLDER),
    "sources.folder.windows": ("mean", "several windows were averaged", MATRIX),
    "sources.folder.atlas": ("some/Yeo.csv", "of the atlas Yeo.", FOLDER),
    "sources.folder.regions": ("drop", "Regions without a signal", FOLDER),
    "sources.folder.missing": ("skip", "Participants without a file", FOLDER),
    "sources.folder.image.atlas": ("AAL3.nii.gz", "the atlas AAL3.", IMAGE),
    "sources.folder.image.confounds": ("scrubbing", "“scrubbing” regressed out", IMAGE),
    "sources.folder.image.detrend": (False, "without detrending", IMAGE),
    "sources.folder.image.standardize": (False, "not rescaled", IMAGE),
    "sources.folder.image.low_pass": (0.09, "low-pass filtered at 0.09 Hz", IMAGE),
    "sources.folder.image.high_pass": (0.009, "high-pass filtered at 0.009 Hz", IMAGE),
    "sources.folder.image.t_r": (2.5, "a repetition time of 2.5 s", IMAGE),
    "sources.folder.image.smoothing_fwhm": (6, "smoothed by 6 mm", IMAGE),
    "sources.simulated.subjects": (333, "333 people", {"source": "simulated"}),
    "sources.simulated.effect": (0.11, "strength of 0.11", {"source": "simulated"}),
    "graph.measure": ("partial", "partial correlation (Ledoit-Wolf", {}),
    "graph.decimals": (5, "rounded to 5 decimals", {}),
    "graph.threshold": ({"density": 0.07}, "among the highest 7 %", {}),
    "graph.weights": ("weighted", "weighted by Fisher's z", {}),
    "graph.sign": ("absolute", "by their absolute value", WEIGHTED),
    "graph.transform": ("log1p", "log(1 + weight)", MATRIX | WEIGHTED),
    "graph.adjust": (["age", "site"], "adjusted for age and site", WEIGHTED),
    "graph.modes": (3, "The first 3 principal components", WEIGHTED),
    "groups": (
        {
            "td": {"label": "Controls", "where": "SEX == 2"},
            "asd": {"label": "b", "where": "SEX == 1"},
        },
        "Controls (“SEX == 2”)",
        {},
    ),
    "cohorts": (SLEEP, "who slept, “SEX == 1”", {}),
    "contrast.percentiles": ([92.5, 70.05], "percentiles 92.5 and 70.05", {}),
    "contrast.alphas": ([0.125], "α = 0.125", {}),
    "contrast.edge_statistic": ("welch", "Welch's t", {}),
    "contrast.solver": ("search", "without a proof that none is better", {}),
    "contrast.sets": (3, "3 sets were found one after the other", {}),
    "contrast.overlap": ("none", "they share no region", {"contrast.sets": 2}),
    "contrast.alternatives": (0.12, "within 12 % of the best", {}),
    "contrast.sdp.solver": ("scs", "solver scs", DENSDP),
    "contrast.densdp.roundings": (4, "4 random roundings", DENSDP),
    "contrast.densdp.t_max": (77, "at most 77 steps", DENSDP),
    "contrast.limits.nodes": (4321, "after 4,321 nodes", {}),
    "contrast.limits.alternatives": (44, "at most 44 for each", {}),
    "contrast.limits.memory_mb": (987, "or 987 MB", {}),
    "contrast.limits.seconds": (12, "or 12 s", {}),
    "inference.hold": ("null", "averaged over 200 random relabelings", {}),
    "inference.blocks": ("family", "within each family", {}),
    "inference.exchange": ("whole", "permutations of whole blocks (site)", {}),
    "inference.covariates": (["age"], "Sets and tests were adjusted for age", {}),
    "inference.halves": (33, "33 random halves", {}),
    "inference.nbs_threshold": ([2.7], "a threshold of t = 2.7", {}),
    "inference.effects.folds": (4, "4 folds", {}),
    "inference.effects.repeats": (3, "folds, drawn 3 times", {}),
    "confirm": ([CLAIM], "direction: td-asd temporal (between Temporal_* and Insula_L)", {}),
    "methods": (["cs-p1", "tangent"], "covariances of the regions' signals in tangent space", {}),
    "own_methods": ({"mine": OWN}, "My own, own code (mine:Mine; k 5/10)", OTHER),
    "evaluation.protocols": (["nested", "sites"], "each site as the test part", {}),
    "evaluation.train": ("all", "outside the cohort were in the training", {}),
    "evaluation.test_size": (0.3, "30 % test part", {}),
    "evaluation.folds": (7, "7-fold cross-validation", {}),
    "evaluation.repeats.paper": (9, "9 random splits by the original", {}),
    "evaluation.repeats.nested": (11, "11 random splits (20 %", {}),
    "evaluation.repeats.permuted": (2, "on the first 2 and, in a test,", {}),
    "evaluation.stop_after": (13, "once 13 of them", {}),
    "evaluation.svm.C": ([3, 5], "C of 3 and 5", {}),
    "baselines": ({"embs": BASELINE}, "the best of the grid epochs 7/9", {"methods": ["embs"]}),
    "report.subjects": ("mice", "mice who had no part", {}),
}
#: Sections that are one key here.
STRUCTURED = ("threshold", "adjust", "contrast_symmetric")
#: Of these the sentence is made from a result: the tables of the tests, or the cohorts.
OF_RESULTS = {"inference.permutations", "contrasts", "graph.percentile"}
OF_RESULTS |= {"evaluation.permutations", "evaluation.controls"}


@pytest.fixture(scope="module")
def text_before(default):
    """The text with some other keys as they must be; made once for each choice of these."""

    @functools.cache
    def made(also, without_members):
        members = people(default, age=[9.0, np.nan, 8.0, 7.0])
        if without_members:
            members = None
        return text_of(default, json.loads(also), proven=(3, 4), members=members)

    return made


@pytest.mark.parametrize("key", SAID)
def test_another_value_of_a_key_is_another_sentence(key, default, text_before):
    value, words, also = SAID[key]
    members = people(default, age=[9.0, np.nan, 8.0, 7.0])
    if key == "cohorts":
        members = None
    before = text_before(json.dumps(also), members is None)
    after = text_of(default, also | {key: value}, proven=(3, 4), members=members)
    assert before != after
    assert words in after and words not in before, after


def test_every_key_has_a_sentence_or_a_reason_to_have_none():
    schema = config_schema()

    def leaves(part, above=""):
        for name, one in part["properties"].items():
            if "properties" in one and name not in STRUCTURED:
                yield from leaves(one, f"{above}{name}.")
            else:
                yield above + name

    keys = set(leaves(schema))
    known = SAID.keys() - {"graph.modes"}  # of graph.adjust, once it is read
    known |= UNSAID.keys() | OF_RESULTS
    assert keys - known == set(), "give it a sentence, or a reason in UNSAID"
    assert known - keys == set(), "there is no such key"
    assert not SAID.keys() & UNSAID.keys() and all(UNSAID.values())


def test_every_method_says_what_its_features_are():
    assert methods_features.FEATURES.keys() == METHODS.keys()


def test_numbers_are_those_of_the_tables(default):
    config = with_keys(default, {"cohorts": alone(default)})
    members = people(config, age=[8.0, 9.0, 7.0, 9.0], sex=["male", "male", "female", None])
    members["children"] = pd.concat([members["children"], members["children"].iloc[:1]])
    reasons = ["constant series: A", "constant series: B", "no file in the release"]
    left = {"children": pd.DataFrame({"subject": list("xyz"), "reason": reasons})}
    text = " ".join(said(config, members=members, left_out=left).paragraphs.values())
    assert "3 TD (age 8.3 ± 0.6; 3 male) and 2 ASD (age 8.0 ± 1.4; 1 female, 1 not known)" in text
    assert "Numbers after ± are standard deviations." in text
    assert "left out: 2 (a region without signal), 1 (no file in the release)." in text
    assert "tested by 1,000 random permutations of the labels within each site" in text
    assert "observed objective: one-sided for w and for −w, two-sided for |w|. It is" in text
    assert "has 2 regions, family-wise p = 0.020." in text
    drawn = "alves and folds were drawn with equal shares of each group"
    assert f"{drawn} in each site, as far" in text
    whole = text_of(default, {"inference.exchange": "whole"})
    assert f"{drawn}, as far" in whole
    assert "the density inside it was 0.20 in TD and 0.20 in ASD" in text
    assert "an accuracy of 0.61 (95 % interval 0.52 to 1.00)" in text
    assert "; 0.58 with age regressed out; 0.55 from these alone" in text
    assert "finds in 80 % of cases" in text and "of other cohorts who had no part" in text
    assert "4 of 4 are proved optimal." in text and "116 regions" in text


def test_a_score_says_which_people_were_held_out_if_there_are_two_ways(default):
    protocols = {"evaluation.protocols": ["nested", "sites"]}
    assert "held-out participants (random splits) with an accuracy" in text_of(default, protocols)
    assert "held-out participants with an accuracy" in text_of(default, {})
    config = with_keys(asking(default, {"age": {"variable": "AGE_AT_SCAN"}}), protocols)
    text = " ".join(said(config).paragraphs.values())
    assert "held-out participants (random splits) with r" in text


def test_an_effect_is_told_in_the_direction_that_it_was_measured_in(default):
    """With direction and penalty chosen anew, the set that is shown is not what was measured."""
    tables = tables_of(default)
    interval = "95 % interval +0.010 to +0.050; d = 0.41)"
    text = text_of(default, {}, tables=tables)
    differed = "the density inside the sets chosen without them differed by +0.031 (positive: "
    assert f"{differed}in the direction that was chosen; {interval}" in text
    assert "90\N{NO-BREAK SPACE}% of the choices are of the direction of the set" in text
    assert "widened likewise, by 50 relabelings" in text
    tables["effects"] = tables["effects"].iloc[:1]
    text = text_of(default, {}, tables=tables)
    assert f"{differed}more in TD; {interval}" in text
    assert "of the choices" not in text and "chosen again" not in text


def test_a_difference_of_slopes_is_not_told_as_one_of_means(default):
    config = asking(default, {"age": {"interaction": "AGE_AT_SCAN"}})
    text = " ".join(said(config).paragraphs.values())
    assert (
        "the slopes of the density inside the sets chosen without them differed, for each" in text
    )
    names = Names.of(config)
    told = answer(findings(tables_of(config), names, config), names)
    assert "the slopes of the density differ by" in told


def test_an_effect_of_mostly_the_other_direction_speaks_for_no_set(default):
    names = Names.of(default)
    tables = tables_of(default)
    tables["significance"] = tables["significance"].assign(p_familywise=0.5)
    words = "The difference is there in new participants too"
    assert words in answer(findings(tables, names, default), names)
    tables["effects"] = tables["effects"].assign(share_chosen=[0.2, np.nan])
    assert words not in answer(findings(tables, names, default), names)


def test_the_control_is_the_one_that_p_is_from(default):
    tables = tables_of(default)
    assert "permuted labels: 0.53, corrected p = 0.030" in text_of(default, {}, tables=tables)
    tables["accuracy"] = tables["accuracy"].assign(site_permutations=0)
    assert "permuted labels: 0.50, corrected p = 0.030" in text_of(default, {}, tables=tables)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "labels permuted within each site, 400 times for each test"),
        ({}, "and 20 times among all participants where only the level"),
        ({"site_permutations": 0}, "labels permuted, 20 times for each test."),
        ({"site_permutations": [12, 400]}, "within each site, 12 to 400 times for each test"),
        ({"p_holm": np.nan, "permutations": 0}, "labels permuted 400 times where only the level"),
        ({"site_permutations": 0, "permutations": 0}, "There was no control with permuted labels."),
        ({"ci_low": np.nan}, "where only the level of chance is shown. Of the random splits"),
    ],
)
def test_controls_are_counted_in_the_table(columns, words, default):
    tables = tables_of(default)
    tables["accuracy"] = tables["accuracy"].assign(**columns)
    assert words in text_of(default, {"evaluation.stop_after": None}, tables=tables)


def test_without_random_splits_the_accuracy_is_that_of_sites(default):
    text = text_of(default, {"evaluation.protocols": ["paper", "sites"]})
    assert "CS-P1 classified held-out participants with an accuracy of 0.61" in text
    # The accuracy of the paper's protocol is too high, and is no result.
    assert "an accuracy of" not in text_of(default, {"evaluation.protocols": ["paper"]})


def test_what_is_predicted_is_no_confound_of_its_own_cohort_only(default):
    asked = {"age": {"variable": "AGE_AT_SCAN"}, "bmi": {"variable": "BMI"}}
    config = asking(default, asked)
    config["methods"] = ["cs-p1", "motion"]
    scores = tables_of(config)["prediction"]
    scores = pd.concat([scores, scores.assign(cohort="bmi")])
    table = pd.DataFrame({"age": [8.0, 9.0, 7.0, 9.5], "motion": [0.1, 0.2, 0.1, 0.3]})
    table["subject"] = list("abcd")
    members = {"age": table.assign(value=table["age"]), "bmi": table.assign(value=[3.0, 1, 2, 2])}
    found = said(config, tables=tables_of(config, prediction=scores), members=members)
    text = " ".join(found.paragraphs.values())
    assert "alone, age and head motion (in age: head motion), and nothing of" in text
    assert "The variables AGE_AT_SCAN and BMI were predicted in held-out participants" in text


def test_a_sentence_names_the_cohorts_that_it_is_true_of(default):
    """The fixture's tables have the first of four cohorts."""
    text = text_of(default, {})
    assert "In Children, each site was also measured" in text
    assert "In Children, whether networks tell the group" in text
    assert "In Children, the smallest difference" in text
    assert "The sets of Children were also tested" in text
    text = text_of(default, {"cohorts": alone(default)})
    assert "In Children, each site" not in text and "Each site was also measured" in text


def test_people_of_pairs_are_counted_once_and_by_group(default):
    members = people(default, person=["p", "q", "p", "q"], sex=["male", "female"] * 2)
    members = {"change": members["children"].assign(age=[8.0, 9.0, 9.0, 11.0])}
    config = asking(default, {"change": {"paired": "SUB_ID"}})
    text = " ".join(said(config, members=members).paragraphs.values())
    assert "2 pairs of TD (age 8.5 ± 0.7; 1 female, 1 male) and ASD (age 10.0 ± 1.4; 1 f" in text
    assert "compared: age p = 0.20 (paired t-test)" in text
    # Between people the deviation is another one.
    assert "residual standard deviation of single networks (within people)." in text
    assert "deviation of single networks." in text_of(default, {})


def test_groups_are_compared_and_sites_counted(default):
    known = {"age": [8.0, 9.0, 12.0, 12.5], "sex": ["male", "male", "female", "female"]}
    text = text_of(default, {}, members=people(default, site=list("xxyz"), **known))
    assert "from 3 sites (1 to 2 participants each)" in text
    assert "compared: age p = 0.045 (Welch's t-test); sex p = 0.33 (Fisher's exact test)" in text
    text = text_of(default, {}, members=people(default, site=list("xxxx")))
    assert "sites (" not in text and "compared:" not in text


def test_only_what_is_known_of_people_is_named(default):
    motion = {"methods": ["motion"]}
    text = text_of(default, motion, members=people(default, age=[8.0, 9.0, 7.0, 9.0]))
    assert "motion and age alone, age, and nothing of the brain" in text
    assert "what scores add to age and to the site was tested" in text
    assert "was not known" not in text
    text = text_of(default, motion, members=people(default, age=[8.0, 9.0, np.nan, 9.0]))
    assert "Where age was not known, analyses that adjust" in text
    assert "2 ASD (age 9.0, 1 not known)" in text


def test_what_determines_the_group_adjusts_nothing(default):
    sexes = ["male", "male", "female", "female"]
    members = people(default, sex=sexes, motion=[0.1, 0.2, 0.1, 0.3])
    text = text_of(default, {}, members=members)
    assert "0.58 with head motion regressed out" in text and "2 TD (2 male;" in text


def test_features_say_what_they_are_of(default):
    named = {"methods": ["edges", "edges-weighted", "edges-adjusted"]}
    text = text_of(default, named)
    assert "all edges, the presence of a connection for each pair" in text
    assert "all weights, the weights of all pairs of regions, before the threshold" in text
    assert "adjusted, the weights of all pairs of regions, before the threshold, with age" in text
    assert "before the threshold" not in text_of(default, named | WEIGHTED)


def test_the_penalty_of_ridge_regression_is_chosen_as_its_learner_does(default):
    config = asking(default, {"age": {"variable": "AGE_AT_SCAN"}})
    config["methods"] = ["cs-p1", "edges", "site", "cpm"]
    text = " ".join(said(config).paragraphs.values())
    assert "For CS-P1 the penalty and the percentiles of the sets were chosen by 5-fold" in text
    assert "for all edges and site alone the penalty was chosen in the training part by" in text
    assert "leaving out one of the participants at a time" in text
    assert "for CPM there is almost no penalty" in text


def test_a_site_of_a_variable_needs_six_people(default):
    assert "Sites with fewer than 3 participants of each group were" in text_of(default, {})
    config = asking(default, {"age": {"variable": "AGE_AT_SCAN"}})
    text = " ".join(said(config).paragraphs.values())
    assert "Sites with fewer than 6 participants were left out" in text
    assert "Groups were" not in text


def test_gaps_of_adjusted_graphs_are_said(default):
    adjusted = WEIGHTED | {"graph.adjust": ["age"]}
    text = text_of(default, adjusted, members=people(default, age=[8.0, np.nan, 7.0, 9.0]))
    assert "The group was not in this model, so that what it shares with this covariate" in text
    assert "Where age was not known, the median, or the most frequent value, was taken." in text
    text = text_of(default, adjusted, members=people(default, age=[8.0, 9.0, 7.0, 9.0]))
    assert "was taken" not in text


def test_the_programs_and_names_of_bids_files_are_said(default):
    files = "xcp/{id}_task-rest_space-MNI_seg-AAL_timeseries.tsv"
    atlas = "some/atlas-4S156Parcels_dseg.tsv"
    keys = FOLDER | {"sources.folder.files": files, "sources.folder.atlas": atlas}
    made = {"made_by": [{"Name": "XCP-D", "Version": "0.10"}, {"Name": "fMRIPrep"}]}
    text = text_of(default, keys, provenance=made)
    assert "These files were made by XCP-D 0.10 and fMRIPrep." in text
    assert "Their names say: task rest, space MNI." in text
    assert "of the atlas 4S156Parcels." in text
    assert "made by" not in text_of(default, FOLDER)


def test_the_commit_is_said_if_it_is_known(default):
    run = {"run": {"version": "0.1", "commit": "abc"}}
    assert "contrast-subgraphs 0.1 (commit abc)" in text_of(default, {}, provenance=run)
    assert "commit" not in text_of(default, {})


def test_a_time_limit_makes_results_depend_on_the_machine(default):
    words = "gives the same results, up to sets whose search was ended"
    assert words in text_of(default, {"contrast.limits.seconds": 9})
    assert words not in text_of(default, {})


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"permutations": 127, "exact": True}, "all 127 other permutations of the labels"),
        ({"blocks": "none"}, "permutations of the labels without restriction"),
        ({"blocks": "person"}, "permutations of the labels within people who have several"),
        ({"blocks": "signs"}, "flips of the signs of participants' residuals"),
        ({"permutations": 0}, "could not be tested: there are too few participants"),
    ],
)
def test_how_labels_were_permuted_is_said(row, words, default):
    tables = tables_of(default)
    tables["significance"] = tables["significance"].assign(**row)
    assert words in text_of(default, {}, tables=tables)


ASKED = {
    "variable": ({"variable": "AGE_AT_SCAN"}, "the slope on AGE_AT_SCAN, for one standard dev"),
    "ranks": ({"variable": "AGE_AT_SCAN", "ranks": True}, "on the ranks of AGE_AT_SCAN (Spearman"),
    "paired": ({"paired": "SUB_ID"}, "the mean difference within pairs, TD minus ASD"),
    "interaction": ({"interaction": "AGE_AT_SCAN"}, "in TD minus that in ASD (their interaction"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_question_has_its_own_words(name, default):
    entry, words = ASKED[name]
    config = asking(default, {"asked": entry})
    text = " ".join(said(config).paragraphs.values())
    assert words in text
    predicted = "AGE_AT_SCAN was predicted" in text
    assert predicted == ("variable" in entry)
    assert ("equal shares of high and low values" in text) == predicted
    assert ("equal shares of each group" in text) == ("interaction" in entry)
    assert ("repeated with values permuted" in text) == predicted
    assert ("exchanges of the two labels within pairs" in text) == (name == "paired")
    assert ("permutations of the values" in text) == (name not in ("paired", "groups"))


def test_where_nothing_can_be_permuted_alpha_is_that_of_the_observed_data(default):
    tables = tables_of(default)
    tables["significance"] = tables["significance"].assign(permutations=0)
    text = text_of(default, {"inference.hold": "null"}, tables=tables)
    assert "In Children, where labels could not be permuted, they were those of" in text


def test_modes_are_adjusted_for_where_alpha_is_observed(default):
    kept = WEIGHTED | {"graph.modes": "auto", "cohorts": alone(default)}
    tables = tables_of(default)
    assert "in the observed data" in text_of(default, kept, tables=tables)
    tables["significance"]["adjusted"] = "age+mode 1+mode 2"
    text = text_of(default, kept, tables=tables)
    assert "in the adjusted observed data" in text and "parallel analysis kept (2)" in text
    assert "adjusted for age, which was in" in text and "mode 1" not in text


def test_people_with_several_graphs_move_together(default):
    members = people(default, person=["p", "q", "r", "r"])
    text = text_of(default, {}, members=members)
    assert "within each site, all graphs of a person together, between people with equally" in text
    tables = tables_of(default)
    tables["significance"] = tables["significance"].assign(blocks="none")
    text_without = text_of(default, {}, members=members, tables=tables)
    assert "permutations of the labels between people with equally many graphs" in text_without
    assert "without restriction" not in text_without
    assert "In Children, no half, fold or split separates the graphs of one person" in text
    assert "only changes within people" not in text
    tables = tables_of(default)
    tables["significance"] = tables["significance"].assign(blocks="person")
    text = text_of(default, {}, members=members, tables=tables)
    assert "In Children, the own level of each person was in the linear model" in text
    assert "2 TD and 2 ASD graphs of 1 participant, graphs of 3 participants" in text


def test_conditions_are_not_said_of_graphs_that_are_chosen_by_folder(default):
    text = text_of(default, {"source": "published"}, members=people(default))
    assert "Groups were TD and ASD." in text and "Children (Age ≤ 9): 2 TD and 2 ASD." in text
    assert "DX_GROUP" not in text and "AGE_YEARS" not in text


def test_who_lacks_a_covariate_is_counted(default):
    members = people(default, age=[9.0, np.nan, 8.0, np.nan])
    text = text_of(default, {"inference.covariates": ["age"]}, members=members)
    assert "In Children 2 of 4 participants lacked it and were left out" in text
    assert "which leaves 1 TD and 1 ASD." in text


def test_several_groups_at_once_are_said(default):
    row = {"cohort": "any", "groups": "a, b and c", "permutations": 99, "p_familywise": 0.01}
    tables = tables_of(default, omnibus=pd.DataFrame([row]))
    asked = {"several": True, "where": "True", "label": "Any group"}
    text = text_of(default, {"cohorts.any": asked}, tables=tables)
    assert "Whether TD and ASD differ was tested at once: w is the F statistic over TD and" in text
    assert "Whether TD and ASD differ, tested at once: family-wise p = 0.01" in text


def test_what_a_run_has_not_done_is_not_said(default):
    lacking = "significance effects over_sites would_find others accuracy confounds".split()
    lacking += ["group_tests", "regions"]
    lacking = dict.fromkeys(lacking)
    made = said(default, tables=tables_of(default, **lacking))
    assert "Prediction" not in made.paragraphs
    tests = made.paragraphs["Contrast subgraphs and tests"]
    assert tests.endswith("No test against chance was made.")
    assert "p-value" not in tests and "halves" not in tests and "-sided" not in tests
    assert "family-wise" not in made.paragraphs["Results"]


def test_without_a_set_the_text_says_so(default):
    tables = tables_of(default)
    tables["subgraphs"]["size"] = 0
    assert "In Children no set of two regions or more" in text_of(default, {}, tables=tables)


def test_every_reference_is_cited_by_something(default, root):
    """None is there for nothing, and none is lacking."""
    folder = root / "workflow/contrast_subgraphs/report"
    names = ("templates/methods.txt", "methods_facts.py", "methods_features.py")
    sources = [folder / name for name in names]
    text = " ".join(path.read_text(encoding="utf-8") for path in sources)
    packages = set(methods_facts.PACKAGE_REFERENCES.values())
    assert packages | set(cited(text)) == references().keys()
    with pytest.raises(InputError, match="there is no reference nobody2000"):
        cited("this [@nobody2000]")


def test_it_is_printed_in_four_formats(default, tmp_path):
    made = said(default)
    save_methods(made, tmp_path)
    assert read_methods(tmp_path) == made
    assert json.loads((tmp_path / "methods.json").read_text())["version"] == "0.1"
    for how, words in (
        ("text", "- Holm, Sture. A Simple"),
        ("md", "## Contrast subgraphs and tests"),
        ("html", "<h3>Software</h3>"),
        ("bib", "@inproceedings{lanciano2020,"),
    ):
        printed = CliRunner().invoke(main, ["methods", str(tmp_path), "--format", how]).output
        assert words in printed and printed.strip() == made.printed(how).strip()
        assert "[@" not in printed
    assert (tmp_path / "references.bib").read_text() == made.printed("bib")
    assert (tmp_path / "methods.md").read_text() == made.printed("md")


def test_bibtex_is_whole():
    text = bibtex(references(), "0.1")
    for entry in text.strip().split("\n\n"):
        assert entry.count("{") == entry.count("}") and entry.startswith("@")
    assert "version = {0.1}" in text and "\\&" not in text.replace("\\&", "", 1)


def test_marks_of_other_languages_are_no_markup(default):
    groups = {"td": {"label": "A <b> & *x*", "where": "DX_GROUP == 2"}}
    groups["asd"] = default["groups"]["asd"]
    made = said(with_keys(default, {"groups": groups}))
    assert "A &lt;b&gt; &amp; *x*" in made.printed("html") and "<b>" not in made.printed("html")
    assert r"A \<b> & \*x\*" in made.printed("md")


def test_a_folder_without_a_run_is_an_error(tmp_path):
    done = CliRunner().invoke(main, ["methods", str(tmp_path)])
    assert done.exit_code == 1 and "give the folder of a finished run" in done.output
    (tmp_path / "methods.json").write_text("{}")
    done = CliRunner().invoke(main, ["methods", str(tmp_path)])
    assert done.exit_code == 1 and "is damaged" in done.output


def test_every_sentence_of_the_template_is_in_a_paragraph(root):
    path = root / "workflow/contrast_subgraphs/report/templates/methods.txt"
    macros = set(re.findall(r"{% macro (\w+)\(f\) %}", path.read_text(encoding="utf-8")))
    assert macros == set(" ".join(PARAGRAPHS.values()).split())
