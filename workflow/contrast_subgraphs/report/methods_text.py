"""The text for a methods section, written from a run's config and its results.

Each sentence is a macro of ``templates/methods.txt``, and its content comes from `Facts`. Items
that checklists of the field ask for and that no run can know are listed below the text (COBIDAS,
Nichols et al. 2017).
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.atomic_files import load_json, save_json, save_text
from ..core.checks import check_option
from ..core.errors import InputError
from .methods_facts import Facts
from .references import bibtex, cited, reference_list, with_names
from .sentences import sentence

#: Heading of each paragraph, and its sentences in their order.
PARAGRAPHS = {
    "Participants and networks": "data groups people gaps networks edges adjusted",
    "Contrast subgraphs and tests": (
        "definition penalties solver several_sets chance corrected covariates edge_tests halves "
        "effects shares sites would_find elsewhere omnibus"
    ),
    "Prediction": "protocols classifiers baselines prediction controls",
    "Software": "software",
    "Results": "found",
}

#: The files of a run: one that is read again, and those for readers.
FILES = {"json": "methods.json", "md": "methods.md", "bib": "references.bib"}
#: How the text can be printed.
FORMATS = ("text", "md", "html", "bib")

#: Keys of the config that no sentence mentions, and why. A key includes all keys below it.
UNSAID = {
    "results": "where files are written",
    "only_graphs": "nothing is tested then, and no text is written",
    "sources.abide.url": "a mirror has the same files, whose digests are checked",
    "sources.abide.data_dir": "where files are kept",
    "sources.abide.attempts": "how often a download is tried",
    "sources.published.sha256": "a check of the archive",
    "sources.folder.subjects": "the name of a file on one machine",
    "sources.folder.id": "how people are matched with files",
    "sources.folder.files": "the names of files on one machine",
    "sources.folder.key": "where the array is in a file",
    "sources.folder.header": "how a text is written",
    "sources.folder.index": "how a text is written",
    "sources.folder.decimal": "how a text is written",
    "sources.folder.triangle": "how a row of weights is written",
    "sources.folder.site": "what a column is called; the covariate and the blocks are named",
    "sources.folder.age": "what a column is called; ages are given",
    "sources.folder.sex": "what a column is called; sexes are given",
    "sources.folder.motion": "what a column is called; motion is given",
    "sources.folder.missing_codes": "how a table writes what is not known; who is left out is said",
    "contrast.sdp.roundings": "where the search starts; its answers are proved, or said not to be",
    "contrast.limits.alternatives_nodes": "how long the list of rivals may take",
    "report.cohorts": "which cohorts are pictured",
    "report.contrast_large": "which sets are pictured",
    "report.contrast_small": "which sets are pictured",
    "report.contrast_symmetric": "which sets are pictured",
    "report.edge_weight": "which edges are drawn",
    "report.clearest": "which sets are pictured; the text names the set that it tells of",
}


@dataclass(frozen=True)
class MethodsText:
    """The text of a run.

    Parameters
    ----------
    paragraphs : dict of str to str
        Heading -> text with marks such as ``[@holm1979]``.
    by_hand : list of str
        Items that the authors must add.
    version : str
        The version of this software.
    """

    paragraphs: Mapping[str, str]
    by_hand: list[str] = field(default_factory=list)
    version: str = ""

    @property
    def references(self) -> list[str]:
        """The keys of all references, in the order of the list."""
        return cited(" ".join(self.paragraphs.values()))

    def as_json(self) -> dict[str, Any]:
        """Return the content of the file that `read_methods` reads."""
        found = {"paragraphs": dict(self.paragraphs), "by_hand": self.by_hand}
        return found | {"version": self.version}

    def printed(self, how: str = "text") -> str:
        """Return the text with its references.

        Parameters
        ----------
        how : {"text", "md", "html", "bib"}
            Plain text, Markdown, a piece of HTML, or the references alone as BibTeX.

        Raises
        ------
        InputError
            For another format.

        Examples
        --------
        >>> said = MethodsText({"Tests": "p-values were corrected [@holm1979]."})
        >>> print(said.printed("md").splitlines()[2])
        p-values were corrected (Holm, 1979).
        """
        check_option("format", how, FORMATS)
        if how == "bib":
            return bibtex(self.references, self.version)
        return {"text": self._as_text, "md": self._as_markdown, "html": self._as_html}[how]()

    def _parts(self):
        """Yield each heading with its paragraph, or with its list of lines."""
        for heading, text in self.paragraphs.items():
            yield heading, with_names(text), []
        if self.by_hand:
            yield "To add by hand", "", self.by_hand
        yield "References", "", reference_list(self.references, self.version)

    def _as_text(self):
        lines = []
        for heading, text, listed in self._parts():
            lines += [heading.upper(), ""]
            lines += [text or "\n".join(f"- {one}" for one in listed), ""]
        return "\n".join(lines)

    def _as_markdown(self):
        lines = []
        for heading, text, listed in self._parts():
            lines += [f"## {heading}", ""]
            lines += [_in_markdown(text) or "\n".join(f"- {_in_markdown(o)}" for o in listed), ""]
        return "\n".join(lines)

    def _as_html(self):
        lines = []
        for heading, text, listed in self._parts():
            lines.append(f"<h3>{html.escape(heading)}</h3>")
            if text:
                lines.append(f"<p>{html.escape(text, quote=False)}</p>")
            else:
                items = "".join(f"<li>{html.escape(one, quote=False)}</li>" for one in listed)
                lines.append(f"<ul>{items}</ul>")
        return "\n".join([*lines, ""])


def methods_text(facts: Facts) -> MethodsText:
    """Write the text of a run.

    Parameters
    ----------
    facts : Facts

    Returns
    -------
    MethodsText
        Without paragraphs for which the run has no content.
    """
    paragraphs = {}
    for heading, macros in PARAGRAPHS.items():
        # A macro with nothing to say about this run returns an empty text.
        said = [sentence("methods.txt", name, facts) for name in macros.split()]
        text = " ".join(filter(None, said))
        if text:
            paragraphs[heading] = text
    version = (facts.provenance.get("run") or {}).get("version", "")
    return MethodsText(paragraphs, _by_hand(facts), version)


def _by_hand(facts):
    """Return items that checklists of the field ask for and no run can know."""
    # Always needed; the rest depends on the source of the data.
    listed = [
        "where and how people were recruited, who was eligible, consent and ethics approval",
        "handedness, and what else describes the groups (diagnoses, medication)",
        "scanner, field strength, sequence, resolution, length of the scan, instructions, eyes",
    ]
    if facts.own_files == "matrix":
        listed.append("preprocessing and how the matrices were made: software, versions, atlas")
    elif facts.own_files:
        listed.append("preprocessing: software and versions, motion correction, denoising, space")
    if facts.own_files and not facts.atlas:
        listed.append("the atlas of the regions and its version")
    if facts.config["source"] == "published":
        listed.append("age, sex and motion of the groups, which the published graphs lack")
    return listed


def save_methods(said: MethodsText, folder: str | Path) -> None:
    """Write the text of a run: JSON for `read_methods`, Markdown and BibTeX.

    Parameters
    ----------
    said : MethodsText
    folder : str or pathlib.Path
        Of the run's results.
    """
    save_json(Path(folder) / FILES["json"], said.as_json())
    for how in ("md", "bib"):
        save_text(Path(folder) / FILES[how], said.printed(how))


def read_methods(folder: str | Path) -> MethodsText:
    """Return the text that a run wrote.

    Parameters
    ----------
    folder : str or pathlib.Path
        Of the run's results, such as ``results/abide``.

    Returns
    -------
    MethodsText

    Raises
    ------
    InputError
        If there is none, or if it was edited.
    """
    path = Path(folder) / FILES["json"]
    if not path.is_file():
        raise InputError(
            f"there is no {path}: give the folder of a finished run, such as results/abide"
        )
    return MethodsText(**load_json(path))


def _in_markdown(text):
    """Return a text with the signs escaped that mean something to Markdown."""
    return re.sub(r"([\\`*<\[\]])", r"\\\1", text)
