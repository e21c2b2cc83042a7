"""Questions as objects: what the config, the stages and the report ask of them."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.design import KINDS, CohortGraphs, Question, question_of, questions_of
from contrast_subgraphs.report.names import Names

#: An entry of the config for each kind.
ENTRIES = {
    "": {"where": "True"},
    "variable": {"variable": "AGE", "ranks": True},
    "paired": {"paired": "WHO", "groups": ["b", "a"]},
    "interaction": {"interaction": "AGE", "person": "FAMILY", "groups": ["b", "a"]},
    "several": {"several": True, "person": "FAMILY"},
}


def asked(kind, groups=("a", "b")):
    return question_of(ENTRIES[kind], "mine", groups)


def test_there_is_an_entry_for_each_kind():
    assert set(ENTRIES) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_same_from_a_file(kind, tmp_path):
    question = asked(kind)
    assert Question.from_json(question.to_json()) == question
    y = np.arange(8) % 2
    value = np.arange(8.0)
    graphs = CohortGraphs(
        np.ones((8, 3)),
        y if question.groups else value,
        np.array(list("abcdefgh")),
        np.array(list("xyz")),
        question.groups,
        "mine",
        question,
        value=value if question.groups and question.role == "value" else None,
    )
    graphs.save(tmp_path / "mine.npz")
    assert CohortGraphs.load(tmp_path / "mine.npz").question == question


def test_contrasts_are_named_after_groups_or_the_cohort():
    config = {"groups": {"a": {}, "b": {}}, "cohorts": {"all": {}, "old": {"variable": "age"}}}
    config["cohorts"]["men"] = {"groups": ["b", "a"], "interaction": "age"}
    found = {name: question.contrasts for name, question in questions_of(config).items()}
    assert found["all"] == ("a-b", "b-a", "symmetric")
    assert found["old"] == ("more-with-old", "less-with-old", "symmetric")
    assert found["men"] == ("men-in-b", "men-in-a", "symmetric")


@pytest.mark.parametrize("kind", KINDS)
def test_all_of_it_has_words(kind):
    question = asked(kind)
    labels = tuple(f"Group {name}" for name in question.groups)
    names = question.contrast_labels(labels)
    assert len(names) == len(question.contrasts)
    assert question.title(labels).endswith("?")
    holds = question.statement(labels)
    assert " not " not in holds and not holds.endswith(".")
    if question.directed:
        assert len(question.sides(labels)) == len(question.ends(labels)) == 2
    for label in labels if question.compares and question.directed else ():
        assert label in question.title(labels) and label in holds


@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_who_is_left_out(kind):
    question = asked(kind)
    table = pd.DataFrame({"rank": [0, 1, 0, 1]})
    for role, (_, column) in question.columns().items():
        assert column in ("AGE", "WHO", "FAMILY")
        table[role] = ["x", "x", "y", None] if role == "person" else [1.0, 2.0, 3.0, np.nan]
    reasons = question.reasons(table).tolist()
    assert reasons[:2] == ["", ""]
    assert (reasons[3] == "") == (not question.columns())
    # Of a pair both are needed.
    assert (reasons[2] == "one of the two groups only") == question.within_person


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["groups", "person", "ranks"])
def test_each_key_is_used_or_refused(kind, key):
    """A key that a kind does not refuse changes what is asked."""
    value = {"groups": ["b", "a"], "person": "OTHER", "ranks": True}[key]
    entry = {key: given for key, given in ENTRIES[kind].items() if key in (kind, "where")}
    plain = question_of(entry, "mine", ("a", "b"))
    with_key = question_of(entry | {key: value}, "mine", ("a", "b"))
    refused = [name for name, _ in KINDS[kind].complaints(entry | {key: value})]
    assert refused == ([] if plain != with_key and key not in KINDS[kind].refused else [key])


def test_whose_graphs_these_are_is_so_of_each_pair_too():
    cohorts = {"at-once": {"several": True, "person": "WHO"}, "pair": {"groups": ["a", "b"]}}
    found = questions_of({"groups": dict.fromkeys("abc"), "cohorts": cohorts})
    assert found["pair"].person == "WHO"


def test_a_further_kind_is_one_class():
    """A quadratic trend, say: all that config and report ask is answered by the class."""
    try:

        class Quadratic(KINDS["variable"]):
            kind = "quadratic"

            def title(self, labels):
                return f"Is there a turning point of {self.column}?"

        config = {"source": "folder", "groups": {}, "cohorts": {"age": {"quadratic": "AGE"}}}
        names = Names.of(config | {"methods": []})
        assert names.title("age") == "Is there a turning point of AGE?"
        assert isinstance(names.question("age"), Quadratic)
    finally:
        KINDS.pop("quadratic", None)
