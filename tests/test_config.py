"""The config's errors are words that a person understands."""

import copy

import pytest
import yaml
from contrast_subgraphs.config import checked
from contrast_subgraphs.core.errors import InputError


@pytest.fixture(scope="module")
def config(root):
    return yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))


def changed(config, path, value):
    config = copy.deepcopy(config)
    *folders, last = path.split(".")
    place = config
    for key in folders:
        place = place[key]
    place[last] = value
    return config


def test_the_paper_s_config_is_valid_and_not_changed_by_the_check(config):
    before = copy.deepcopy(config)
    groups = {
        "td": {"label": "TD", "where": "DX_GROUP == 2"},
        "asd": {"label": "ASD", "where": "DX_GROUP == 1"},
    }
    assert checked(config) == config | {"groups": groups}
    assert config == before


def test_groups_have_the_names_and_labels_that_they_are_given(config):
    groups = {"control": "SEX == 1", "bp": {"where": "SEX == 2", "label": "Bipolar"}}
    found = checked(changed(config, "groups", groups))["groups"]
    assert found["control"] == {"label": "control", "where": "SEX == 1"}
    assert found["bp"]["label"] == "Bipolar"
    assert list(checked(changed(config, "groups", groups | {"x": None}))["groups"]) == list(groups)


def test_a_cohort_that_is_null_is_left_out(config):
    assert "male" not in checked(changed(config, "cohorts.male", None))["cohorts"]


def test_a_cohort_needs_no_more_than_an_expression(config):
    new = checked(changed(config, "cohorts.girls", {"where": "SEX == 2"}))["cohorts"]["girls"]
    assert new == {"where": "SEX == 2", "label": "girls", "description": "SEX == 2"}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("evaluation.fold", 5, ["evaluation", "'fold'", "folds"]),
        ("evaluation.folds", "five", ["evaluation.folds", "a whole number", "'five'"]),
        ("evaluation.folds", 1, ["evaluation.folds", "at least 2"]),
        ("graph.percentile", 100, ["graph.percentile", "not 100 (allowed: more than 0 and"]),
        ("contrast.percentiles", [70, 0], ["contrast.percentiles.1", "more than 0"]),
        ("contrast.alphas", [-0.1], ["contrast.alphas.0", "more than 0"]),
        ("cohorts", {"a/b": {"where": "SEX == 1"}}, ["'a/b'", "folder", "a-z"]),
        ("cohorts", {"..": {"where": "SEX == 1"}}, ["'..'", "folder"]),
        ("cohorts", {}, ["cohorts", "must not be empty"]),
        ("cohorts.male", {"label": "Male"}, ["cohorts.male", "'where'", "missing"]),
        ("cohorts.male.where", "SEX ==", ["cohorts.male.where", "SEX =="]),
        ("cohorts.male.where", "GENDER == 1", ["cohorts.male.where", "'GENDER'", "SEX"]),
        ("cohorts.male.where", "AGE_YEAR < 9", ["cohorts.male.where", "did you mean AGE_YEARS?"]),
        ("groups.td", "__import__('os').system('ls')", ["groups.td"]),
        ("groups", {"td": "SEX == 1"}, ["groups", "two"]),
        ("groups.third", "SEX == 1", ["groups", "3", "td, asd, third"]),
        ("groups", {"a-b": "SEX == 1", "c": "SEX == 2"}, ["groups", "'a-b'"]),
        ("groups", {"cohort": "SEX == 1", "c": "SEX == 2"}, ["groups.cohort", "column"]),
        ("source", "adhd", ["source", "'adhd'", "abide, published, simulated"]),
        ("methods", ["cs-p3"], ["methods", "'cs-p3'", "cs-p1"]),
        ("report.cohorts", ["childrn"], ["report.cohorts", "'childrn'", "children"]),
        ("report.contrast_small.td-asd", 91, ["report.contrast_small.td-asd", "91", "70"]),
        ("baselines.embs.best.male", {"epoch": 1}, ["embs", "'epoch'", "epochs"]),
        ("baselines.embs.full.noise", [0.3, 7], ["embs", "noise", "7"]),
        ("sources.published.sha256", "abc", ["sources.published.sha256", "'abc'"]),
        ("seed", None, ["seed", "a whole number", "None"]),
    ],
)
def test_what_cannot_be_used_is_named(config, path, value, words):
    with pytest.raises(InputError) as error:
        checked(changed(config, path, value))
    for word in words:
        assert word in str(error.value)


def test_a_missing_licence_is_named_before_any_work(config, monkeypatch, tmp_path):
    monkeypatch.setenv("MOSEKLM_LICENSE_FILE", str(tmp_path / "none.lic"))
    with pytest.raises(InputError, match=r"contrast\.sdp\.solver: MOSEK's licence was not found"):
        checked(changed(config, "contrast.sdp.solver", "mosek"))


def test_a_missing_key_is_named(config):
    config = copy.deepcopy(config)
    del config["evaluation"]["svm"]["C"]
    with pytest.raises(InputError, match=r"evaluation\.svm: the key 'C' is missing"):
        checked(config)


def test_all_complaints_come_at_once(config):
    config = changed(changed(config, "seed", "x"), "graph.percentile", 0)
    with pytest.raises(InputError) as error:
        checked(config)
    assert "seed" in str(error.value) and "graph.percentile" in str(error.value)
