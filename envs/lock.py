"""Write the pinned requirements and the conda file from the .in files (needs uv).

    python -m pip install uv && python envs/lock.py

`python envs/lock.py --conda` only rewrites the conda file from requirements.txt.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ENVS = Path(__file__).resolve().parent
HEAD = "# Made by `python envs/lock.py`; edit {source} instead.\n"


def lock(source, target):
    """Resolve `source` for Python 3.11 to 3.13 on every platform, with hashes."""
    options = "--universal --python-version 3.11 --fork-strategy fewest --generate-hashes"
    quiet = "--quiet --no-header --no-annotate --no-emit-index-url --no-emit-find-links"
    command = ["uv", "pip", "compile", *options.split(), *quiet.split()]
    subprocess.run([*command, str(source), "-o", str(target)], check=True)
    text = target.read_text(encoding="utf-8")
    target.write_text(HEAD.format(source=source.name) + text, encoding="utf-8")


def pins(requirements):
    """Return {package: version} of a pinned requirements file (the general branch)."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        match = re.match(r"([a-z0-9._-]+)==([^ ;]+)(.*)", line)
        if match and "sys_platform == 'win32'" not in match[3]:
            found[match[1]] = match[2]
    return found


def direct(source):
    """Return the names that an .in file asks for."""
    lines = source.read_text(encoding="utf-8").splitlines()
    return [re.match(r"[a-z0-9._-]+", line)[0] for line in lines if re.match(r"[a-z]", line)]


def conda(pinned):
    """Return the text of the conda file: Python from conda-forge, the same pins from pip."""
    lines = [f"      - {name}=={pinned[name]}" for name in direct(ENVS / "requirements.in")]
    return "\n".join(
        [
            HEAD.format(source="requirements.in").rstrip(),
            "name: contrast-subgraphs",
            "channels:",
            "  - conda-forge",
            "  - nodefaults",
            "dependencies:",
            "  - python=3.12",
            "  - pip",
            "  - pip:",
            *lines,
            "",
        ]
    )


def main():
    """Write the pinned files, and the conda file from them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--conda", action="store_true", help="only the conda file")
    if not parser.parse_args().conda:
        for source in sorted(ENVS.glob("requirements*.in")):
            lock(source, source.with_suffix(".txt"))
    text = conda(pins(ENVS / "requirements.txt"))
    (ENVS / "contrast-subgraphs.yaml").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
