"""The command line: two groups in, answers on stdout, one line for what cannot be used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.data.files import name_groups
from contrast_subgraphs.inference import effect_size, site_effects

PLANTED = [f"R{k}" for k in range(1, 7)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two folders of 12 correlation-like matrices; six regions are tied in patients."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    stacks = {}
    for group in ("control", "patient"):
        (folder / group).mkdir()
        stack = np.triu(rng.normal(0, 0.2, size=(12, 20, 20)), 1)
        if group == "patient":
            stack[:, :6, :6] += np.triu(np.full((6, 6), 0.6), 1)
        stacks[group] = stack + stack.transpose(0, 2, 1) + np.eye(20)
        for k, matrix in enumerate(stacks[group]):
            np.savetxt(folder / group / f"s{k}.csv", matrix, delimiter=",")
    np.savez(folder / "control.npz", stacks["control"])
    np.save(folder / "patient.npy", stacks["patient"])
    names = ["name,x"] + [f"R{k + 1},0" for k in range(20)]
    (folder / "atlas.csv").write_text("\n".join(names) + "\n")
    files = [f"{group}/s{k}" for k in range(12) for group in ("control", "patient")]
    rows = [
        f"{file},{file.split('/')[0]},{int('control' in file)},{k % 7},{'ab'[k % 4 > 1]},"
        f"p{k // 2},3"
        for k, file in enumerate(files)
    ]
    (folder / "asked.csv").write_text("id,dx,dose,age,site,person,one\n" + "\n".join(rows) + "\n")
    return folder


@pytest.fixture
def cli(data, monkeypatch):
    """Run the command line in this process; return stdout, or stderr where it must fail."""

    def run(*arguments, code=0, folder=data):
        monkeypatch.chdir(folder)
        done = CliRunner().invoke(main, [str(argument) for argument in arguments])
        assert done.exit_code == code, done.output + str(done.exception)
        return done.stdout if code == 0 else done.stderr

    return run


def in_a_process(root, folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "contrast_subgraphs", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(root / "workflow")},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("con/*.csv", "pat/*.csv", ("con", "pat")),
        ("study/con/z/*.csv", "study/pat/z/*.csv", ("con", "pat")),
        ("data/*_well.csv", "data/*_ill.csv", ("well", "ill")),
        ("a/con", "b/con", ("a", "b")),
        ("*.csv", "*.tsv", ("first", "second")),
        ("con.npy", "data/pat.npz", ("con", "pat")),
    ],
)
def test_groups_are_named_by_what_differs_in_their_places(first, second, expected):
    assert name_groups(first, second) == expected


def test_results_errors_and_exit_codes_of_a_process(root, data):
    done = in_a_process(root, data, "find", "control", "patient", "--alpha", "0.3", "-p", "2")
    read = "read: 24 files: 20 regions, not named in them; no header; decimal points\n"
    assert done.returncode == 0 and done.stderr in (read, f"{read}compiling (once)\n")
    assert done.stdout.startswith("symmetric, alpha 0.3: 6 regions")
    done = in_a_process(root, data, "find", "control", "nowhere")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error: nowhere does not exist")
    assert len(done.stderr.splitlines()) == 1


def test_find_names_the_planted_regions_and_their_proof(cli):
    said = cli("find", "control", "patient", "--atlas", "atlas.csv", "--percentile", 80)
    first, second, third = (
        said.split("\n  mean weight")[0],
        *said.split("patient-control")[1:],
        said,
    )
    assert "control-patient, alpha" in first
    assert ", ".join(PLANTED) in second and "6 regions" in second
    assert "proved: no set is better" in third and "in control" in third


def test_what_is_no_result_is_said_unless_quiet(data, monkeypatch):
    monkeypatch.chdir(data)
    for command in (["find", "--plot", "found.png"], ["test", "-n", "9"]):
        said = []
        for more in ([], ["--quiet"], ["--percentile", "80"]):
            done = CliRunner().invoke(main, [*command, "control", "patient", *more])
            assert done.exit_code == 0, done.output
            said.append(done.stderr)
        chosen = "chosen for sets" if command[0] == "find" else "tested at percentile 80"
        assert chosen in said[0] and "read: " in said[0] and len(said[0].splitlines()) <= 4
        assert said[1] == "" and chosen not in said[2]


def test_find_gives_several_sets_and_pairs_of_sets(cli):
    options = ("-p", 2, "--percentile", 80, "--sets", 2)
    (record,) = json.loads(cli("find", "control", "patient", *options, "--json"))["subgraphs"]
    assert record["explained"] > record["further"][0]["explained"] > 0
    said = cli("find", "control", "patient", *options).splitlines()
    assert [line.startswith("symmetric") for line in said].count(True) == 2
    found = json.loads(cli("find", "control", "patient", *options, "--between", "--json"))
    assert not set(found["subgraphs"][0]["first"]) & set(found["subgraphs"][0]["second"])
    said = cli("find", "control", "patient", *options, "--between")
    assert "proved: no set is better" in said and " and " in said


def test_find_of_two_networks_by_average_degree(cli, data):
    rng = np.random.default_rng(0)
    u, v = np.triu_indices(20, 1)
    for name, planted in (("healthy", 0), ("tumour", 5)):
        weights = rng.random(len(u)) * (rng.random(len(u)) < 0.2) + 2 * (v < planted)
        rows = [f"g{a}\tg{b}\t{w}" for a, b, w in zip(u, v, weights, strict=True)]
        (data / f"{name}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    said = cli("find", "healthy.tsv", "tumour.tsv", "--objective", "density", "-p", 1)
    assert "tumour-healthy: 5 regions, average degree " in said and "proved" in said
    assert "g0, g1, g2, g3, g4" in said
    for wrong in (("--percentile", 80), ("--alpha", 1), ("--sets", 2), ("--between",)):
        options = ("--objective", "density", *wrong)
        said = cli("find", "healthy.tsv", "tumour.tsv", *options, code=1)
        assert f"{wrong[0]} cannot be used with --objective density" in said


def test_find_draws_and_says_empty_where_alpha_is_above_all_weights(cli, data):
    """No weight of control-patient is above 0.3; the other direction is found all the same."""
    for more in ((), ("--between",)):
        picture = data / "found.png"
        options = ("-p", 1, "--alpha", 0.3, "--plot", picture, *more)
        said = cli("find", "control", "patient", "--atlas", "atlas.csv", *options)
        assert "control-patient, alpha 0.3: empty" in said and "proved: no set" in said
        assert picture.read_bytes()[:4] == b"\x89PNG"
        picture.unlink()
    said = cli("find", "control", "patient", "--alpha", 80, code=1)
    assert "alpha must be above 0 and below" in said


def test_one_table_with_a_column_of_groups(cli, data):
    rows = [
        f"{g}/s{k},{g if k or g == 'control' else 'n/a'}"
        for g in ("control", "patient")
        for k in range(12)
    ]
    (data / "people.csv").write_text("id,dx\n" + "\n".join(rows) + "\n")
    table = ("people.csv", "--group-column", "dx", "--files", "{id}.csv", "--id", "id")
    options = ("--alpha", 0.3, "-p", 2, "--json")
    found = json.loads(cli("find", *table, *options))
    assert found["groups"] == {"control": 12, "patient": 11}
    assert found["subgraphs"][0]["nodes"] == list(range(6))
    found = json.loads(cli("find", *table, *options, "--names", "patient,control"))
    assert list(found["groups"]) == ["patient", "control"]
    (data / "here").mkdir()
    (data / "here" / "atlas.csv").write_text("name\n" + "\n".join(f"Q{k}" for k in range(20)))
    given = ("../people.csv", *table[1:], "--atlas", "atlas.csv")
    found = json.loads(cli("find", *given, *options, folder=data / "here"))
    assert found["subgraphs"][0]["regions"][0] == "Q0"  # not the one beside the table
    assert "has the dx 'well'; there are control (12)" in cli(
        "find", *table, "--names", "patient,well", code=1
    )
    assert "no column 'dy'" in cli(
        "find", "people.csv", *("--group-column", "dy"), *table[3:], code=1
    )
    assert "needs both" in cli("find", *table[:3], code=1)
    (data / "people.csv").write_text("id,dx\n" + "\n".join(rows).replace("s1,", "s1,x") + "\n")
    assert "has 4 values, not two" in cli("find", *table, code=1)


def test_groups_may_be_called_na_and_how_files_are_read_is_said(cli, data):
    rows = [f"{g}/s{k},{n}" for g, n in (("control", "NA"), ("patient", "None")) for k in range(12)]
    (data / "odd.tsv").write_text("id\tdx\n" + "\n".join(rows).replace(",", "\t") + "\n")
    table = ("odd.tsv", "--group-column", "dx", "--files", "{id}.csv", "--id", "id")
    found = json.loads(cli("find", *table, "--alpha", 0.3, "-p", 2, "--json"))
    assert found["groups"] == {"NA": 12, "None": 12}
    (data / "lines.txt").write_text("a\n" * 24)
    said = cli("test", *table, "--blocks", "lines.txt", code=1)
    assert said.startswith("read: 24 files: 20 regions") and "an order of its own" in said
    assert "its first line holds no labels" in cli("find", *table, "--header", code=1)


def test_questions_are_columns_of_the_table(cli, data):
    """A variable of two values is its groups; a covariate, blocks and pairs are taken."""
    table = ("asked.csv", "--group-column", "dx", "--files", "{id}.csv", "--id", "id")
    groups = json.loads(cli("find", *table, "--json"))["subgraphs"]
    everybody = (*table[:1], *table[3:])  # no groups
    found = json.loads(cli("find", *everybody, "--json", "--variable", "dose"))
    assert found["variable"] == "dose" and found["people"] == 24
    variable = found["subgraphs"]
    assert [one["contrast"] for one in variable][:2] == ["more-with-dose", "less-with-dose"]
    assert [one["nodes"] for one in variable] == [one["nodes"] for one in groups]
    options = ("--covariates", "age", "--blocks", "site", "-n", "19")
    said = cli("test", *everybody, "--variable", "dose", *options)
    # Between two values the slope is a difference.
    assert "more-with-dose, percentile 80" in said and "  difference inside a set" in said
    # Both take alpha from the same relabellings, so `test` is of the set that `find` gives.
    found = json.loads(cli("find", *everybody, "--variable", "dose", *options[:4], "--json"))
    assert f"more-with-dose, percentile 80 (alpha {found['subgraphs'][0]['alpha']:.4g})" in said
    said = cli("test", *everybody, "--variable", "age", "-n", "19")
    assert "  slope per standard deviation of age, counted in the contrast's direction" in said
    assert "p = " in cli("test", *table, "--paired", "person", "-n", "19")
    constant = cli("evaluate", *everybody, "--variable", "one", code=1)
    assert "the same in all people" in constant
    twice = cli("find", *everybody, "--variable", "dose", "--covariates", "dose", code=1)
    assert "this is the variable itself" in twice
    for wrong in (("--variable", "dosis"), ("--variable", "site"), ("--paired", "site")):
        asked = everybody if "--variable" in wrong else table
        assert "error: " in cli("test", *asked, *wrong, code=1)
    assert "need a table" in cli("find", "control", "patient", "--variable", "age", code=1)
    for both in (("--group-column", "dx"), ("--names", "control,patient")):
        said = cli("find", *everybody, *both, "--variable", "dose", code=1)
        assert f"{both[0]} is for two groups" in said
    for options, words in (
        (("--covariates", "age,"), "--covariates age,: a name is empty"),
        (("--exchange", "whole"), "give --person, or --blocks"),
        (("--blocks", "site", "--alpha", "0.1"), "here alpha comes from none: leave it out"),
        (("--blocks", "site", "--hold", "observed"), "here alpha comes from none: leave it out"),
    ):
        assert words in cli("find", *everybody, "--variable", "dose", *options, code=1)
    once, twice = (
        cli("find", *everybody, "--variable", "dose", "--covariates", names)
        for names in ("age", "age, age")
    )
    assert once == twice
    # Twelve people with two graphs each are permuted together.
    several = ("--variable", "age", "-n", "19", "--json")
    alone, together = (
        json.loads(cli("test", *everybody, *several, *more))["tests"][0]
        for more in ((), ("--person", "person"))
    )
    assert alone["null_mean"] != together["null_mean"]
    picture = data / "age.png"
    cli("find", *everybody, "--variable", "age", "--plot", picture)
    assert picture.stat().st_size > 1000
    for options, words in (
        (("--variable", "dose"), "--variable and --paired ask different questions"),
        (("--blocks", "site"), "--paired exchanges the labels"),
        (("--person", "person"), "--person: paired names this column: leave it out"),
    ):
        assert words in cli("test", *table, "--paired", "person", *options, code=1)
    assert "needs both" in cli("test", *everybody, code=1)


def test_densities_of_pairs_are_those_of_people_with_both(cli, data):
    """Who lacks a partner is in no pair, so not in the numbers that are printed either."""
    head, first, *rest = (data / "asked.csv").read_text().splitlines()
    (data / "one.csv").write_text("\n".join([head, *rest]) + "\n")
    person = first.split(",")[5]
    both = [row for row in rest if row.split(",")[5] != person]
    (data / "both.csv").write_text("\n".join([head, *both]) + "\n")
    options = ("--group-column", "dx", "--files", "{id}.csv", "--id", "id", "--paired", "person")
    found = [
        json.loads(cli("find", table, *options, "--alpha", 0.1, "--json"))["subgraphs"]
        for table in ("one.csv", "both.csv")
    ]
    assert found[0] == found[1] and found[0][0]["nodes"]
    said = cli("find", "both.csv", *options[:-2], "--alpha", 0.1, "--covariates", "age")
    assert "in these people, not adjusted: " in said


def test_evaluate_takes_the_same_questions(cli, monkeypatch):
    table = ("asked.csv", "--files", "{id}.csv", "--id", "id")
    small = ("--repeats", 3, "-n", 4, "--folds", 2, "--percentile", 80)
    said = cli("evaluate", *table, *small, "--variable", "dose", "--blocks", "site").splitlines()
    assert [line.split(":")[0] for line in said] == ["CS-P1", "all edges", "CPM"]
    assert all("permuted values: " in line and "p = 0.2" in line for line in said)
    groups = (*table, "--group-column", "dx", *small[:-2], "--method", "edges")
    for more in (("--blocks", "site"), ("--paired", "person"), ("--covariates", "age,site")):
        said = cli("evaluate", *groups, *more)
        assert said.startswith("all edges: accuracy ") and "nan" not in said
    once = (*groups[:-8], "--repeats", 1, "-n", 1, "--folds", 2, "--method", "edges")
    assert "nan" not in cli("evaluate", *once).partition("(")[0]  # one split has no spread
    found = json.loads(cli("evaluate", *table, *small, "--variable", "dose", "--json"))
    assert found["people"] == 24 and found["prediction"][1]["r_mean"] > 0.5
    monkeypatch.setattr("contrast_subgraphs.evaluation.svm.MANY_PEOPLE", 20)
    said = cli("evaluate", *table, *small, "--variable", "dose").splitlines()
    assert [line.split(":")[0] for line in said] == ["CS-P1", "CPM"]
    assert "cs-p2 tells groups apart" in cli(
        "evaluate", *table, "--variable", "dose", "--method", "cs-p2", code=1
    )
    for option in (("--percentile", 80), ("--edge-statistic", "t")):
        said = cli("evaluate", *groups, *option, code=1)
        assert f"{option[0]} is for contrast subgraphs, and edges finds none" in said


def test_a_region_that_one_group_lacks_is_told(data, monkeypatch):
    monkeypatch.chdir(data)
    (data / "lacking").mkdir()
    for k in range(3):
        matrix = np.loadtxt(data / "control" / f"s{k}.csv", delimiter=",")
        matrix[4] = matrix[:, 4] = 0
        np.savetxt(data / "lacking" / f"s{k}.csv", matrix, delimiter=",")
    for command in (("find", "-p", 2), ("test", "-n", 20)):
        done = CliRunner().invoke(main, [*map(str, (*command, "lacking", "patient"))])
        assert done.stderr.count("1 region (5) has no edge in any graph of the group lacking") == 1


def test_find_gives_json_and_the_same_from_stacks(cli):
    options = ("--atlas", "atlas.csv", "--alpha", 0.3, "-p", 2, "--json", "--alternatives", 0.05)
    found = json.loads(cli("find", "control", "patient", *options))
    assert found["groups"] == {"control": 12, "patient": 12}
    (subgraph,) = found["subgraphs"]
    assert subgraph["regions"] == PLANTED and subgraph["optimal"]
    assert subgraph["contrast"] == "symmetric" and subgraph["alternatives"]["complete"]
    assert subgraph["mean_weight_patient"] - subgraph["mean_weight_control"] > 0.5
    patterns = ("control/s*.csv", "patient/s*.csv")
    for groups in (("control.npz", "patient.npy"), patterns):
        (other,) = json.loads(cli("find", *groups, *options))["subgraphs"]
        assert other["regions"] == PLANTED
        assert other["objective"] == pytest.approx(subgraph["objective"])


def test_edges_make_graphs_of_matrices(cli):
    found = json.loads(cli("find", "control", "patient", "--edges", 80, "-p", 1, "--json"))
    densities = [s["density_patient"] for s in found["subgraphs"]]
    assert all(0 <= density <= 1 for density in densities)


def test_edges_of_binary_graphs_change_nothing_and_say_so(cli, tmp_path):
    rng = np.random.default_rng(0)
    for group in ("a", "b"):
        graphs = np.triu(rng.random((4, 12, 12)) < 0.3, 1)
        np.save(tmp_path / f"{group}.npy", (graphs | graphs.transpose(0, 2, 1)).astype(int))
    places = [str(tmp_path / name) for name in ("a.npy", "b.npy")]
    done = CliRunner().invoke(main, ["find", *places, "--edges", "80", "--percentile", "80"])
    assert "--edges 80 changes nothing: the graphs are binary" in done.stderr
    assert "nowhere does not exist" in cli("find", "nowhere", "b.npy", code=1, folder=tmp_path)


def test_test_tells_p(cli):
    options = ("--permutations", 60, "--json", "--would-find")
    told = json.loads(cli("test", "control", "patient", *options))
    tests = told["tests"]
    assert [row["regions"] for row in told["would_find"]] == [5, 10]
    assert told["would_find"][0]["difference"] > told["would_find"][1]["difference"] > 0
    assert [test["contrast"] for test in tests] == [
        *("control-patient", "patient-control", "symmetric")
    ]
    assert tests[1]["p"] == pytest.approx(1 / 61) and tests[0]["p"] > 0.05
    assert tests[1]["held_out_low"] > 0.4 and tests[1]["held_out_effect"] <= tests[1]["in_sample"]
    assert tests[2]["held_out_effect"] is None
    lines = cli("test", "control", "patient", "--permutations", 60).splitlines()
    assert len(lines) == 6 and "in people who did not choose it" in lines[3]
    # With one penalty the direction alone is chosen, and here always the same.
    assert told["chosen"]["effect"] == pytest.approx(tests[1]["held_out_effect"])
    assert "where the other people choose the direction too" in lines[5]


def test_sites_are_those_of_a_column(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(effect_size, "CALIBRATION", 20)
    rng = np.random.default_rng(1)
    scanner = np.repeat([f"s{k}" for k in range(6)], 8)
    # Three patients at every second site, and five at the others.
    patient = np.tile([1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1], 3)
    graphs = np.triu(rng.normal(0, 0.2, size=(48, 12, 12)), 1)
    graphs[:, :4, :4] += np.triu(np.full((4, 4), 0.3), 1) * patient[:, None, None]
    graphs = graphs + graphs.transpose(0, 2, 1)
    for k, graph in enumerate(graphs):
        np.savetxt(tmp_path / f"p{k}.csv", graph, delimiter=",")
    labels = np.array(["control", "patient"])[patient]
    table = pd.DataFrame({"id": [f"p{k}" for k in range(48)], "dx": labels, "scanner": scanner})
    table.to_csv(tmp_path / "people.csv", index=False)
    given = ("people.csv", "--group-column", "dx", "--files", "{id}.csv", "--id", "id", "-n", 20)
    asked = ("test", *given, "--sites", "scanner", "--percentile", 80, "--json")
    said = json.loads(cli(*asked, folder=tmp_path))
    low = [row["low"] for row in said["over_sites"]]
    found = site_effects(graphs, labels, scanner, subjects=table["id"], percentiles=80)
    np.testing.assert_allclose(low, found.means()["low"], rtol=1e-6)


def test_plan_tells_how_many_people_it_takes(cli, data, monkeypatch):
    monkeypatch.setattr(effect_size, "CALIBRATION", 10)
    monkeypatch.setattr(effect_size, "CHOICE_CALIBRATION", 10)
    few = ("--permutations", 39, "--parts", 1)
    told = json.loads(cli("plan", "control", "patient", *few, "--json"))
    assert told["pilot"] == 24 and told["confirm"] < 24 and told["discover"] < 60
    assert [row["people"] for row in told["parts"]] == [6, 12, 18, 24]
    text = cli("plan", "control", "patient", *few, "--plot", "plan.png")
    assert f"to confirm this set in 80% of cases: {told['confirm']:.0f} people" in text
    assert "24 people: the pilot, median p = 0.0" in text
    # A single part of the people is not the pilot.
    assert "12 people: 1 of 1 parts find a set" in text and text.count("the pilot, ") == 1
    assert "nan" not in text
    assert "36 people (extrapolated): find a set" in text
    assert (data / "plan.png").stat().st_size > 1000
    assert "a name that ends in" in cli("plan", "control", "patient", "--plot", "p.doc", code=1)


def test_evaluate_has_its_control_beside_it(cli):
    said = cli(
        *("evaluate", "control", "patient", "--repeats", 3, "-n", 2, "--folds", 2),
        *("--method", "edges", "--method", "cs-p1", "--percentile", 80),
    )
    edges, subgraphs = said.splitlines()
    assert edges.startswith("all edges: accuracy ") and subgraphs.startswith("CS-P1: accuracy 1.00")
    assert "permuted labels: 0." in edges and "p = " in edges


def test_evaluate_offers_the_methods_that_need_only_matrices(cli):
    """Others would fail: there are no embeddings, sites or covariates."""
    for method in ("site", "motion", "graph2vec"):
        said = cli("evaluate", "control", "patient", "--method", method, code=2)
        assert "'cs-p1', 'cs-p2', 'edges'" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("find", "control", "nowhere"), "nowhere does not exist"),
        (("find", "control", "control"), "control is given twice"),
        (("find", "control/*.csv", "control/s1*.csv"), "control/s1.csv is in both groups"),
        (("find", "control", "patient", "--names", "a b,a_b"), "both become a_b"),
        (("find", "control", "patient", "--names", "patient,control"), "in the other order"),
        (("find", "control", "patient", "--edges", 0.8), "did you mean 80?"),
        (("find", "control", "patient", "--edges", 150), "--edges 150"),
        (("evaluate", "control", "patient", "--repeats", 0), "--repeats must be"),
        (("confirm", "control-patient: 1 | ", "control", "patient"), "names of regions on both"),
        (("confirm", "control-patient: | 1", "control", "patient"), "names of regions on both"),
        (("find", "odd", "header"), "header/header.csv is not written like odd/odd.csv"),
        (("find", "odd", "rows"), "rows.csv: its rows and columns are not the same regions"),
        (("find", "odd", "half"), "the weight of 1 and 3 is not a finite number"),
        (("find", "control", "patient", "--names", "a"), "two different names"),
        (("find", "control", "patient", "--percentile", 180), "percentile"),
        (("find", "control", "odd"), "odd/odd.csv has 2, control/s0.csv has 20"),
        (("find", "odd", "directed"), "directed.csv: it is not symmetric"),
        (("find", "odd", "oblong"), "oblong.csv: "),
        (("find", "odd", "words"), "words.csv: "),
        (("find", "odd", "empty"), "empty.csv: "),
        (("find", "control", "patient", "--atlas", "short.csv"), "the atlas has 1 regions"),
        (("run", "none.yaml"), "there is no config file none.yaml"),
    ],
)
def test_what_cannot_be_used_is_one_line(cli, data, arguments, says):
    files = {"odd": "0,1\n1,0\n", "directed": "0,1\n2,0\n", "oblong": "0,1,1,5\n1,0,1,5\n"}
    files |= {"words": "0,1,2\n1,0,x\n2,x,0\n", "empty": ""}
    files |= {"header": "a,b\n0,1\n1,0\n", "rows": ",a,b\nb,0,1\na,1,0\n"}
    files |= {"half": "0,1,nan\n0,0,1\n0,0,0\n"}
    for name, text in files.items():
        (data / name).mkdir(exist_ok=True)
        (data / name / f"{name}.csv").write_text(text)
    (data / "short.csv").write_text("name,x\nR1,1\n")
    said = [s for s in cli(*arguments, code=1).splitlines() if not s.startswith("read: ")]
    assert len(said) == 1 and said[0].startswith("error: ") and says in said[0]


def test_an_option_that_a_command_has_no_use_for_is_not_offered(cli):
    assert "--edge-statistic" in cli("find", "--help")
    assert "--edge-statistic" not in cli("confirm", "--help")


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_headers_and_names_of_rows_are_left_out(cli, data, separator):
    folder = data / f"named{ord(separator)}"
    folder.mkdir()
    rows = [["", "R1", "R2"], ["R1", "1", "0.5"], ["R2", "0.5", "1"]]
    if separator == " ":
        rows = [row[1:] for row in rows[1:]]
    text = "\r\n".join(separator.join(row) for row in rows) + "\r\n"
    (folder / "m.csv").write_text(text, newline="")
    other = data / f"other{ord(separator)}"
    other.mkdir()
    (other / "m.csv").write_text(text.replace("0.5", "0"), newline="")
    found = json.loads(cli("find", folder, other, "--alpha", 0.1, "-p", 2, "--json"))
    assert found["subgraphs"][0]["objective"] == pytest.approx(0.4)


def test_regions_that_are_named_may_come_in_any_order(cli, data):
    for name, text in (
        ("abc", "a,b,c\n1,5,1\n5,1,2\n1,2,1\n"),
        ("cab", "c,a,b\n1,0,1\n0,1,2\n1,2,1\n"),
    ):
        (data / name).mkdir()
        (data / name / f"{name}.csv").write_text(text)
    (found,) = json.loads(cli("find", "cab", "abc", "--alpha", 2.5, "-p", 2, "--json"))[
        "subgraphs"
    ][:1]
    assert found["regions"] == ["a", "b"] and found["objective"] == pytest.approx(0.5)


def test_run_plans_the_workflow(root, tmp_path):
    (tmp_path / "mine.yaml").write_text("methods: [cs-p1]\n")
    done = in_a_process(root, tmp_path, "run", "mine.yaml", "--dry-run", "--cores", "1")
    assert done.returncode == 0, done.stderr
    assert "contrast_subgraphs" in done.stdout + done.stderr
    assert "source: abide, as in config.yaml" in done.stderr  # before any download
    assert not (tmp_path / "results").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_who_stops_a_run_stops_snakemake(root, tmp_path):
    """It ends what runs, and nothing of it works on."""
    (tmp_path / "mine.yaml").write_text("source: simulated\nsources: {simulated: {subjects: 60}}\n")
    command = [sys.executable, "-m", "contrast_subgraphs", "run", str(tmp_path / "mine.yaml")]
    env = os.environ | {"PYTHONPATH": str(root / "workflow")}
    options = {"cwd": tmp_path, "env": env, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, stderr=subprocess.STDOUT, **options) as process:
        started = any(" of " in line for line in process.stdout)
        assert started
        process.terminate()
        said = process.stdout.read()
    assert process.returncode != 0 and "Terminating processes on user request" in said
    assert not [one for one in Path("/proc").glob("[0-9]*/cwd") if _points_to(one, tmp_path)]


def _points_to(link, folder):
    try:
        return link.resolve() == folder
    except OSError:  # of another user, or it has just ended
        return False


def test_info_and_help(cli):
    assert "cs-p1, cs-p2" in cli("info")
    for command in ("find", "test", "evaluate", "init", "run"):
        assert f"contrast-subgraphs {command} " in cli(command, "--help")
    assert "Missing argument" in cli("find", code=2)


def test_init_writes_a_config_that_runs(root, data, tmp_path, monkeypatch):
    study = tmp_path / "study"
    (study / "fc").mkdir(parents=True)
    rows = ["participant_id\tgroup\tage"]
    for number, group in enumerate(("control", "patient") * 12):
        rows.append(f"sub-{number:02d}\t{group}\t{20 + number}")
        matrix = (data / group / f"s{number // 2}.csv").read_text()
        (study / "fc" / f"sub-{number:02d}_fc.csv").write_text(matrix)
    (study / "participants.tsv").write_text("\n".join(rows) + "\n")
    (study / "atlas.csv").write_text((data / "atlas.csv").read_text())
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["init", "study"])
    assert done.exit_code == 0 and done.stdout == "mine.yaml\n", done.output
    assert "24 people" in done.stderr and "control (12), patient (12)" in done.stderr
    config = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    assert config["sources"]["folder"]["files"] == "fc/{id}_fc.csv"
    assert config["sources"]["folder"]["kind"] == "matrix"
    assert config["groups"] == {"control": "group == 'control'", "patient": "group == 'patient'"}
    assert CliRunner().invoke(main, ["init", "study"]).exit_code == 1  # it is not written over
    done = in_a_process(root, tmp_path, "run", "mine.yaml", "--dry-run", "--cores", "1")
    assert done.returncode == 0, done.stderr + done.stdout


def test_init_says_what_is_missing(cli, tmp_path):
    assert "no table" in cli("init", tmp_path, code=1)
    assert "is not a folder" in cli("init", tmp_path / "x", code=1)


def test_windows_and_regions_without_weights_by_options(tmp_path):
    rng = np.random.default_rng(0)
    for k in range(4):
        folder = tmp_path / "ab"[k // 2]
        folder.mkdir(exist_ok=True)
        windows = rng.normal(size=(9, 8, 8))
        windows += windows.transpose(0, 2, 1)
        windows[:, 3] = windows[:, :, 3] = 0 if k == 1 else 1
        np.save(folder / f"s{k}.npy", windows)
    places = [str(tmp_path / group) for group in "ab"]
    options = ["--percentile", "80", "--json"]
    done = CliRunner().invoke(main, ["find", *places, *options])
    assert done.exit_code == 1 and "windows of dynamic connectivity" in done.stderr
    done = CliRunner().invoke(
        main, ["find", *places, *options, "--windows", "mean", "--regions", "drop"]
    )
    assert done.exit_code == 0, done.output
    assert "read: 4 files: 8 regions" in done.stderr
    assert "means over the 9 windows of each person" in done.stderr
    assert "1 of 8 regions are left out" in done.stderr and "4 (1 of 4)" in done.stderr
    regions = {name for one in json.loads(done.stdout)["subgraphs"] for name in one["regions"]}
    assert "4" not in regions


def test_sessions_are_permuted_within_people(cli, data):
    """Three sessions of a variable: within people, whole people, and what is said of either."""
    rng = np.random.default_rng(0)
    (data / "visits").mkdir()
    rows = ["id\twho\tsession\ttrait\tfamily\tdx"]
    for person in range(16):
        for session in range(3 if person else 2):
            matrix = rng.normal(size=(10, 10)) + 3 * session
            name = f"v{person}_{session}"
            np.savetxt(data / "visits" / f"{name}.csv", matrix + matrix.T, delimiter=",")
            dx = "ab"[session > 0]
            rows.append(f"{name}\tp{person}\t{session}\t{person}\tf{person // 2}\t{dx}")
    (data / "visits.tsv").write_text("\n".join(rows) + "\n")
    table = ("visits.tsv", "--files", "visits/{id}.csv", "--id", "id", "--person", "who")
    test = ("test", *table, "-n", 39)

    def told(*arguments, code=0):
        done = CliRunner().invoke(main, [*map(str, arguments)])
        assert done.exit_code == code, done.output
        return done.stdout, done.stderr

    cli("info")  # in the folder of the data
    found, said = told(*test, "--variable", "session")
    assert "p = 0.025" in found and "relabellings are possible" not in said
    _, said = told(*test, "--variable", "session", "--exchange", "whole", code=1)
    assert "no two whole people of as many graphs" in said and "exchange: within" in said
    _, said = told(*test, "--variable", "trait", "--exchange", "within", code=1)
    assert "trait is the same in all graphs of each person" in said
    _, said = told(*test, "--variable", "trait")
    assert "15 people of 3 graphs and 1 person of 2 graphs" in said
    assert "1 person without such another stays where it is" in said
    found, _ = told(*test, "--group-column", "dx")
    assert "a-b, percentile 80" in found
    found, said = told("find", *table, "--variable", "session")
    assert "relabellings are possible" not in said and "more-with-session" in found
    small = ("--repeats", 2, "-n", 4, "--folds", 2, "--method", "edges")
    found, said = told("evaluate", *table, *small, "--variable", "session")
    assert found.startswith("all edges: r ")
    found, said = told("evaluate", *table, *small, "--group-column", "dx")
    assert found.startswith("all edges: accuracy ") and "nan" not in found


def test_sex_is_no_covariate_of_groups_by_sex(cli, data):
    rows = [f"{g}/s{k},{g},{g[0]},{k % 7}" for g in ("control", "patient") for k in range(12)]
    (data / "sexes.csv").write_text("id,dx,sex,age\n" + "\n".join(rows) + "\n")
    table = ("sexes.csv", "--group-column", "dx", "--files", "{id}.csv", "--id", "id")
    for command in ("find", "test", "evaluate"):
        said = cli(command, *table, "--covariates", "age,sex", code=1)
        assert "error: --covariates: sex determines the group" in said


def test_an_option_without_effect_is_an_error(cli):
    two = ("control", "patient")
    for options in (("--id", "name"), ("--missing-codes", "-99")):
        assert f"{options[0]} is for a table of people" in cli("find", *two, *options, code=1)
    table = ("asked.csv", "--files", "{id}.csv", "--id", "id", "--group-column", "dx")
    said = cli("find", *table, "--person", "id", code=1)
    assert "--person id: each person has one graph" in said
    for option, value, way in (
        ("--key", "conn", "holds no more than one: leave `key` out"),
        ("--windows", "mean", "none holds more than one"),
    ):
        assert way in cli("find", *two, option, value, code=1)
    said = cli("evaluate", *two, "--exchange", "signs", "--repeats", 1, code=1)
    assert "is for tests" in said


def test_a_covariate_or_code_that_changes_nothing_is_said(data, monkeypatch):
    monkeypatch.chdir(data)
    table = ["test", "asked.csv", "--files", "{id}.csv", "--id", "id", "--group-column", "dx"]
    options = ["--covariates", "one", "--missing-codes", "77", "-n", "20", "--percentile", "80"]
    done = CliRunner().invoke(main, [*table, *options, "--blocks", "one"])
    assert done.exit_code == 0
    assert "nothing is held constant by it: one" in done.stderr
    assert "--blocks one: all graphs are in one block" in done.stderr
    assert "missing_codes: no column holds 77" in done.stderr


def test_find_says_which_t_is_a_bound(tmp_path, monkeypatch):
    """A pair that is the same in all people of a group has no spread, and t would be infinite."""
    rng = np.random.default_rng(0)
    for group in ("a", "b"):
        (tmp_path / group).mkdir()
        for k in range(5):
            matrix = np.triu(rng.normal(size=(6, 6)), 1)
            matrix[0, 1] = float(group == "a")
            np.savetxt(tmp_path / group / f"{k}.csv", matrix + matrix.T, delimiter=",")
    asked = ["find", "a", "b", "--percentile", 80, "--edge-statistic", "t"]
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [str(one) for one in asked])
    assert "1 pairs of regions vary less" in done.stderr
