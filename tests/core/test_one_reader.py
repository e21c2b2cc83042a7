"""What people's columns hold is said by `core.columns` alone."""

import re

import pytest

#: Calls that say what an entry of a column is.
CALLS = re.compile(
    r"""to_numeric\(|\.astype\((?:str|"str"|'str'|"string")\)|\b(?:isna|isnull|notna|notnull)\(|"""
    r"is_numeric_dtype\(|is_bool_dtype\(|STR_NA_VALUES"
)
#: Where they stand for something else: file, how a line begins, and why it is another matter.
OTHERS = {
    "cli/asked.py": {
        "graphs = replace(graphs, person=graphs.person.astype(str)": "identifiers, all known",
    },
    "core/atlas.py": {"values = pd.to_numeric(given": "places of regions"},
    "data/reading/csv_files.py": {
        "empty = last > 0": "files of numbers",
        'if separator == " " and width': "files of numbers",
        "numeric = [pd.api.types": "files of numbers",
        "if not pd.api.types.is_numeric": "files of numbers",
    },
    "data/regions.py": {
        'twice = table["code"]': "numbers of regions",
        "known = known.astype(object)": "systems of regions",
        "table[column] = known.astype(str)": "systems of regions",
        "numbers = pd.to_numeric(known": "places of regions",
        "if (numbers.isna()": "places of regions",
    },
    "embeddings/__init__.py": {"subjects = getattr(graphs": "names of graphs in a file"},
    "evaluation/summary.py": {
        'without = part.loc[part["nuisance_mean"]': "results",
        'tested = table["p_holm"]': "results",
        'rows = rows[rows["accuracy"]': "results",
        "there = values.notna()": "results",
    },
    "graphs/correlation.py": {'reasons = excluded["reason"]': "results"},
    "graphs/expressions.py": {
        '"+ - * / %, isna(COLUMN)': "words of an error",
        "raise self.refuse(": "words of an error",
    },
    "inference/chosen_penalty.py": {
        "tested = tests": "results",
        "where = f": "results",
        "if pd.isna(p)": "results",
    },
    "inference/elsewhere.py": {
        "known = np.isin(graphs.people": "names of people, all known",
        'tested = table["p"]': "results",
    },
}
#: Rooms of tables that a run wrote itself.
ROOMS = ("report",)


def lines_of(package):
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name == "core/columns.py" or name.split("/")[0] in ROOMS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if CALLS.search(line):
                yield name, number, line.strip()


@pytest.fixture
def package(root):
    return root / "workflow" / "contrast_subgraphs"


def test_no_other_place_reads_people_s_columns(package):
    strange = [
        f"{name}:{number}: {line}"
        for name, number, line in lines_of(package)
        if not any(line.startswith(begins) for begins in OTHERS.get(name, ()))
    ]
    assert not strange, "ask core.columns instead:\n" + "\n".join(strange)


def test_what_is_allowed_is_there(package):
    found = [(name, line) for name, _, line in lines_of(package)]
    for name, allowed in OTHERS.items():
        for begins in allowed:
            assert any(n == name and line.startswith(begins) for n, line in found), (name, begins)
