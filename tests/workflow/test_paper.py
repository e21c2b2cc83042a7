"""The draft of the software paper: every number is on a page of the documentation that it names."""

import re

import pytest
import yaml

#: Words of a paper, without its list of references.
FEWEST, MOST = 750, 1500


@pytest.fixture(scope="module")
def paper(root):
    text = (root / "paper" / "paper.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


@pytest.fixture(scope="module")
def entries(root):
    return (root / "paper" / "paper.bib").read_text(encoding="utf-8")


def numbers_of(text):
    """The numbers of a text as they are compared: 0.86 is .86."""
    # Years and pages of what is cited are no measurements, nor are digits of a file's name.
    plain = re.sub(r"\[[^\]]*@[^\]]*\]|@\w+|`[^`]*`", " ", text).replace("−", "-")
    found = re.findall(r"(?<![\w.])-?\d*\.?\d+(?![\w])", plain)
    return {re.sub(r"^(-?)0\.", r"\1.", one) for one in found}


def test_it_is_as_long_as_such_a_paper_may_be(paper):
    assert FEWEST <= len(paper[1].split()) <= MOST


def test_its_authors_are_those_of_the_citation_file(paper, root):
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert [one["name"] for one in paper[0]["authors"]] == [
        one["name"] for one in citation["authors"]
    ]


def test_all_that_is_cited_has_an_entry_and_the_other_way_round(paper, entries):
    cited = set(re.findall(r"@(\w+)", paper[1]))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", entries, re.M))


def test_entries_that_the_methods_text_cites_too_are_the_same(paper, entries):
    from contrast_subgraphs.report.references import bibtex, references

    shared = set(re.findall(r"@(\w+)", paper[1])) & set(references())
    assert len(shared) > 5
    for key in shared:
        assert bibtex([key]).strip() in entries, key


def test_every_number_is_on_a_page_that_its_paragraph_names(paper, root):
    checked = 0
    for paragraph in paper[1].split("\n\n"):
        pages = re.findall(r"`(docs/\w+\.md)`", paragraph)
        if not pages:
            # Only the design and the need: no measurement stands there.
            assert not [one for one in numbers_of(paragraph) if "." in one], paragraph
            continue
        known = set()
        for page in pages:
            known |= numbers_of((root / page).read_text(encoding="utf-8"))
        missing = numbers_of(paragraph) - known
        assert not missing, (paragraph, missing)
        checked += len(numbers_of(paragraph))
    assert checked > 30


def test_a_number_that_no_page_has_is_seen():
    assert numbers_of("an accuracy of 0.86, from -.033 [@shen2017] in `a3.md`") == {".86", "-.033"}
    assert numbers_of("0.87") - numbers_of("| **.86** |") == {".87"}
