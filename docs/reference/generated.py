"""What the site makes of the code: config keys, the help, what the gallery's programs give."""

import contextlib
import io
import re
import sys
import tempfile
import warnings
from pathlib import Path

import click
import numpy as np
import yaml
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]


def on_config(config):
    """Say at the foot of every page which version it is of (called by mkdocs)."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from contrast_subgraphs import __version__

    config.copyright = f"contrast-subgraphs {__version__}, BSD 3-Clause licence"
    return config


def on_page_markdown(markdown, page, config, files):
    """Fill the marks in a page (called by mkdocs)."""
    if page.file.src_path == "gallery.md":
        markdown = with_outputs(markdown, config, files)
    for mark, make in (("<!-- config -->", config_keys), ("<!-- cli -->", command_line)):
        if mark in markdown:
            markdown = markdown.replace(mark, make())
    # Links that lead out of docs/ are for the repository.
    return re.sub(r"\[([^\]]+)\]\(\.\./(?!reference|\w+\.md)[^)]*\)", r"`\1`", markdown)


def with_outputs(markdown, config, files):
    """Run a page's programs one by one; show below each what it prints and draws."""
    sys.path.insert(0, str(ROOT / "workflow"))

    def run(match):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(match[1], "gallery", "exec"), {})
        shown = [match[0]]
        if text := printed.getvalue().rstrip():
            shown.append(f"```text\n{text}\n```")
        for picture in sorted(Path().glob("*.png")):
            made = File.generated(config, f"gallery/{picture}", content=picture.read_bytes())
            files.append(made)
            made.copy_file(False)
            shown.append(f"![What `{picture}` shows](gallery/{picture})")
            picture.unlink()
        return "\n\n".join(shown)

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _make_people()
        return re.sub(r"```python\n(.*?)```", run, markdown, flags=re.S)


def _make_people(people=30, regions=40):
    """Write the gallery's data: matrices and series of two groups, with a planted difference."""
    rng = np.random.default_rng(7)
    names = ",".join(f"{side}{k + 1}" for side in "LR" for k in range(regions // 2))
    for folder, shared in (("controls", 0), ("patients", 0.8)):
        Path(folder).mkdir()
        for person in range(people):
            series = rng.normal(size=(120, regions)) + 0.6 * rng.normal(size=(120, 1))
            series[:, 6:14] += shared * rng.normal(size=(120, 1))
            np.savetxt(f"{folder}/{person:02d}_timeseries.tsv", series, delimiter="\t")
            style = {"delimiter": ",", "header": names, "comments": "", "fmt": "%.4f"}
            np.savetxt(f"{folder}/{person:02d}.csv", np.corrcoef(series.T), **style)


def config_keys():
    """Return a table of every key of the config: default, what is allowed, meaning."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from contrast_subgraphs.config.schema import config_schema

    schema = config_schema()
    defaults = yaml.safe_load((ROOT / "config.yaml").read_text("utf-8"))
    meanings = _comments((ROOT / "config.yaml").read_text("utf-8"))
    rows = ["| key | default | allowed | meaning |", "|---|---|---|---|"]
    for path, allowed in _leaves(schema, schema):
        value = defaults
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        meaning = _as_written(meanings.get(path, ""))
        cells = [f"`{'.'.join(path)}`", f"`{_short(value)}`", allowed, meaning]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    # site.css knows the table by the name of its box.
    return "\n".join(['<div class="keys" markdown>', "", *rows, "", "</div>"])


def _leaves(part, schema, path=()):
    """Yield the path of every key that is not a mapping of known keys, and what is allowed."""
    if "$ref" in part:
        part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
    if "properties" in part:
        for key, inner in part["properties"].items():
            yield from _leaves(inner, schema, (*path, key))
    else:
        yield path, _allowed(part)


def _allowed(part):
    if "enum" in part or "const" in part:
        return ", ".join(map(str, part.get("enum", [part.get("const")])))
    kinds = part.get("type", "see the comment in config.yaml")
    text = " or ".join(kinds) if isinstance(kinds, list) else kinds
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    words["exclusiveMaximum"] = "below"
    limits = [f"{word} {part[name]}" for name, word in words.items() if name in part]
    return " ".join([text, *limits])


def _comments(text):
    """Return the comments beside and above the keys of config.yaml, by path."""
    found, above, stack = {}, [], []
    for line in text.splitlines():
        if line.strip().startswith("#"):
            above.append(line.strip("# ").strip())
            continue
        match = re.match(r"( *)([\w-]+):(?: |$)", line)
        if match is None:
            above = []
            continue
        depth = len(match[1])
        stack = [(at, key) for at, key in stack if at < depth] + [(depth, match[2])]
        beside = re.search(r" # ?(.*)$", line)
        parts = [*above, *([beside[1]] if beside else [])]
        found[tuple(key for _, key in stack)] = " ".join(parts)
        above = []
    return found


def _as_written(text):
    """Return a comment for Markdown: ``<key>`` is neither HTML nor are stars emphasis."""
    parts = text.split("`")
    # Inside of backticks Markdown shows everything as it is.
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*") for part in parts[::2]]
    return "`".join(parts)


def _short(value):
    text = yaml.safe_dump(value, default_flow_style=True, width=1000, allow_unicode=True)
    text = text.replace("\n...", "").strip()
    return text if len(text) <= 60 else text[:57] + "..."


def command_line():
    """Return the help of every command."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from contrast_subgraphs.cli import main

    pages = []
    for name, command in main.commands.items():
        context = click.Context(command, info_name=f"contrast-subgraphs {name}")
        pages.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(pages)
