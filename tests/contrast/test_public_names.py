"""What can be imported from the package itself."""

import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
import typing

import contrast_subgraphs
import numpy as np
import pytest
from contrast_subgraphs.core.results import Result


def test_every_public_name_is_there():
    assert set(contrast_subgraphs._ELSEWHERE) <= set(contrast_subgraphs.__all__)
    for name in contrast_subgraphs.__all__:
        assert getattr(contrast_subgraphs, name).__name__ == name
    assert set(contrast_subgraphs.__all__) <= set(dir(contrast_subgraphs))
    with pytest.raises(AttributeError, match="no attribute 'contrast_graph'"):
        contrast_subgraphs.contrast_graph  # noqa: B018


def test_the_api_page_lists_every_public_name_and_no_other(root):
    page = (root / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = [line.removeprefix("::: ") for line in page.splitlines() if line.startswith(":::")]
    assert sorted(name.rpartition(".")[2] for name in listed) == sorted(contrast_subgraphs.__all__)
    for name in listed:
        module, _, last = name.rpartition(".")
        found = getattr(importlib.import_module(module), last)
        assert found is getattr(contrast_subgraphs, last)


def is_result(found):
    """Whether this is what a function returns, and nothing that users make themselves."""
    kinds = (contrast_subgraphs.FixedSet, contrast_subgraphs.CohortGraphs)
    return dataclasses.is_dataclass(found) and issubclass(found, Result) and found not in kinds


def sections_of(found):
    """The sections of a docstring: title -> text."""
    parts = re.split(r"^(\w[\w ]+)\n-+\n", inspect.getdoc(found), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(section):
    """The names at the beginning of a section's entries."""
    names = set()
    for line in section.splitlines():
        if line and not line.startswith(" "):
            names |= {name.strip() for name in line.partition(" : ")[0].split(",")}
    return names


FUNCTIONS = [
    name
    for name in contrast_subgraphs.__all__
    if inspect.isfunction(getattr(contrast_subgraphs, name))
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_spells_its_keywords_and_describes_each(name):
    found = getattr(contrast_subgraphs, name)
    parameters = inspect.signature(found).parameters
    assert not any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values())
    sections = sections_of(found)
    needed = {"Parameters", "Raises", "See Also", "Examples"}
    if inspect.signature(found).return_annotation is not None:
        needed.add("Returns")
    assert needed <= set(sections)
    assert described(sections["Parameters"]) == set(parameters)


@pytest.mark.parametrize("name", sorted(set(contrast_subgraphs.__all__) - set(FUNCTIONS)))
def test_a_class_says_what_goes_with_it(name):
    sections = sections_of(getattr(contrast_subgraphs, name))
    assert "See Also" in sections
    for other in described(sections["See Also"]):
        assert hasattr(contrast_subgraphs, other), other


def types_in(annotation):
    """The classes of an annotation, inside unions and lists too."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return {annotation}
    return set().union(*map(types_in, typing.get_args(annotation)))


@pytest.mark.parametrize("name", contrast_subgraphs.__all__)
def test_what_is_returned_can_be_imported(name):
    found = getattr(contrast_subgraphs, name)
    functions = [found]
    if inspect.isclass(found):
        functions = []
        if is_result(found):
            functions = [f for n, f in vars(found).items() if inspect.isfunction(f) and n[0] != "_"]
    for function in functions:
        hints = typing.get_type_hints(function, vars(sys.modules[function.__module__]))
        for kind in types_in(hints.get("return", type(None))):
            if kind.__module__.startswith("contrast_subgraphs"):
                assert getattr(contrast_subgraphs, kind.__name__) is kind


@pytest.mark.parametrize("name", contrast_subgraphs.__all__)
def test_every_public_name_is_annotated_and_has_an_example(name):
    """The examples run with those of all other docstrings (`test_doctests`)."""
    found = getattr(contrast_subgraphs, name)
    if not is_result(found):  # the functions that return them show them
        assert ">>> " in found.__doc__
    functions = [found]
    if inspect.isclass(found):
        functions = [f for n, f in vars(found).items() if inspect.isfunction(f) and n[0] != "_"]
    for function in functions:
        signature = inspect.signature(function)
        given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        assert all(p.annotation is not p.empty for p in given), function
        assert signature.return_annotation is not signature.empty, function


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("", ("numpy", "numba", "sklearn")),
        # Each job of the workflow would wait for it before it works.
        (".config", ("sklearn", "scipy.stats", "numba")),
        (".contrast", ("sklearn", "scipy.stats")),
        (".inference", ("sklearn", "scipy.stats")),
        (".graphs.cohorts", ("sklearn", "scipy.stats", "numba")),
        (".evaluation.evaluate", ("sklearn", "scipy.stats")),
        (".report.tables.table", ("sklearn", "scipy.stats")),
    ],
)
def test_imports_load_nothing_that_is_not_needed_yet(root, module, heavy):
    code = f"import sys, contrast_subgraphs{module}; "
    code += f"print([m for m in {heavy} if m in sys.modules])"
    path = str(root / "workflow")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def results():
    """One of each result, of long names and many people."""
    rng = np.random.default_rng(0)
    graphs = rng.normal(size=(24, 8, 8))
    y = np.tile(["patients of the first hospital", "controls of the first hospital"], 12)
    graphs[::2, :5, :5] += 2
    graphs = graphs + graphs.transpose(0, 2, 1)
    for graph in graphs:
        np.fill_diagonal(graph, 0)
    names = np.array([f"Superior temporal gyrus, left, part {k}" for k in range(8)])
    people = contrast_subgraphs.CohortGraphs(
        graphs, np.tile([0, 1], 12), np.arange(24).astype(str), names, tuple(y[:2])
    )
    contrast = people.contrasts[0]
    difference = contrast_subgraphs.difference_graph(people, contrast)
    found = contrast_subgraphs.contrast_subgraph(
        difference, percentile=80, names=names, alternatives=0.5
    )
    claim = contrast_subgraphs.FixedSet("claim", names[:5], contrast, atlas=names)
    effects = contrast_subgraphs.held_out_effect(people, percentiles=80, n_folds=3, n_repeats=1)
    edges = contrast_subgraphs.edge_tests(people, n_permutations=20)
    sites = contrast_subgraphs.site_effects(people, sites=np.repeat(["a", "b"], 12))
    nulls = rng.normal(size=(20, 28))
    return [
        people,
        contrast_subgraphs.two_groups(people),
        found,
        found.alternatives,
        *found.alternatives.sets[:1],
        *contrast_subgraphs.bipartite_contrasts(difference, percentile=80, names=names),
        claim,
        effects,
        effects.chosen,
        edges,
        edges.findings[0],
        sites,
        sites.pooled(contrast),
        contrast_subgraphs.confirm(people, sets=claim, n_permutations=20),
        contrast_subgraphs.permutation_test(people, percentiles=80, n_permutations=20),
        contrast_subgraphs.region_stability(people, percentiles=80, n_halves=2),
        contrast_subgraphs.map_permutation_test(difference, nulls, percentile=80),
        contrast_subgraphs.QuadraticProblem.of_cut(difference),
        contrast_subgraphs.evaluate(
            people, methods="cs-p1", n_splits=2, n_permutations=0, percentiles=[80]
        ),
        contrast_subgraphs.Limits(),
    ]


def test_results_say_in_a_line_or_two_what_they_are(results):
    for result in results:
        assert len(repr(result)) < 300 and "array(" not in repr(result), repr(result)
        assert type(result).__name__ in repr(result)


def test_notebooks_show_a_table_and_a_picture(results):
    pytest.importorskip("matplotlib")
    kinds = {type(result).__name__: result for result in results if isinstance(result, Result)}
    pictured = {name for name, one in kinds.items() if "<img" in one._repr_html_()}
    for name, one in kinds.items():
        assert hasattr(one, "table") == ("<table" in one._repr_html_()), name
        if name.endswith("Result") and name != "BipartiteContrastResult":
            assert name in pictured


def test_a_view_never_ends_in_an_error(results, monkeypatch):
    found = results[2]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)  # it cannot be imported
    shown = found._repr_html_()
    assert "<table" in shown and "<img" not in shown
    monkeypatch.setattr(type(found), "table", lambda self: 1 / 0)
    assert "proved" in found._repr_html_()
