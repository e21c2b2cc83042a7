"""The documentation site is built without a warning, and has every key and command."""

import os
import re
import subprocess
import sys

import pytest
import yaml


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    pytest.importorskip("mkdocs", reason="the tools of envs/requirements-dev.txt are missing")
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_it_loads_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|img|link)[^>]*(?:src|href)="(https?:[^"]*)', page.read_text()
        )
        assert not loaded, page


def test_every_key_of_the_config_has_its_row(site, root):
    text = (site / "reference" / "config.html").read_text(encoding="utf-8")
    defaults = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    for section in ("graph", "evaluation", "contrast"):
        for key in defaults[section]:
            assert f"<code>{section}.{key}" in text


def test_every_command_and_public_function_is_there(site):
    cli = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    for command in ("find", "test", "evaluate", "run", "info"):
        assert f"contrast-subgraphs {command}" in cli
    assert "permutation_test" in (site / "reference" / "api.html").read_text(encoding="utf-8")
