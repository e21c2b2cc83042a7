"""Formatters and linters are satisfied."""

import subprocess
import sys

import pytest

COMMANDS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "snakefmt": ["snakefmt", "--check", "Snakefile", "workflow/rules"],
    "snakemake --lint": ["snakemake", "--lint"],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_clean(root, name):
    tool, *arguments = COMMANDS[name]
    pytest.importorskip(tool, reason="the tools of envs/requirements-dev.txt are missing")
    run = subprocess.run(
        [sys.executable, "-m", tool, *arguments], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
