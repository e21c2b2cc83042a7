"""Install a wheel where nothing else is, and run the first commands of the README as they stand.

    python packaging/try_wheel.py dist

makes an environment with the Python that runs this, installs the only wheel of the folder (or the
wheel named) without extras, checks that all it needs is there, and prints sizes and times. It works
on Linux, macOS and Windows.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Stands in the README above the block of the first commands.
MARK = "<!-- commands: first -->"
#: Two folders of matrices, and the same of other people; patients are alike in six regions.
PEOPLE = """
import pathlib, numpy as np
rng = np.random.default_rng(0)
for where, first in ((".", 0), ("new", 12)):
    for group in ("controls", "patients"):
        folder = pathlib.Path(where, group)
        folder.mkdir(parents=True)
        for person in range(first, first + 12):
            series = rng.normal(size=(80, 20))
            if group == "patients":
                series[:, :6] += rng.normal(size=(80, 1))
            np.savetxt(folder / f"{person}.csv", np.corrcoef(series.T), delimiter=",")
"""


def first_commands(readme):
    """Return the commands of the README's marked block, each split as a shell splits it.

    Lines that install are left out: what is installed here is the wheel.
    """
    block = readme.split(f"{MARK}\n```sh\n")[1].split("```")[0]
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    return [words for words in commands if words and words[0] != "pip"]


def megabytes(folder):
    """Return the size of all files in a folder, in MB of a million bytes."""
    files = (path for path in Path(folder).rglob("*") if not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def run(command, folder, path):
    """Run a command with the environment's programs first, and say how long it took."""
    started = time.monotonic()
    # On Windows, a program is looked for where this process would find it, not by the child's PATH.
    program = shutil.which(command[0], path=path) or command[0]
    done = subprocess.run(
        [program, *command[1:]],
        cwd=folder,
        env=_environment(path),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    print(f"{time.monotonic() - started:5.0f} s  {shlex.join(command).splitlines()[0]}", flush=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def _environment(path):
    # Nothing of the environment that this runs in may help.
    kept = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
    return kept | {"PATH": path, "PYTHONUTF8": "1"}


def main(wheel):
    """Try a wheel, or the only one in a folder."""
    wheel = Path(wheel).resolve()
    found = [wheel]
    if not wheel.is_file():
        found = list(wheel.glob("*.whl"))
    if len(found) != 1:
        raise SystemExit(f"error: {wheel} holds {len(found)} wheels, and one is needed")
    (wheel,) = found
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        home = Path(scratch) / "venv"
        venv.create(home, with_pip=True)
        programs = home / ("Scripts" if os.name == "nt" else "bin")
        path = os.pathsep.join([str(programs), os.environ["PATH"]])
        before = megabytes(home)
        run(["python", "-m", "pip", "install", "--quiet", str(wheel)], scratch, path)
        print(f"{megabytes(home) - before:5.0f} MB installed, on Python {sys.version.split()[0]}")
        run(["python", "-m", "pip", "check"], scratch, path)
        study = Path(scratch) / "study"
        study.mkdir()
        run(["python", "-c", PEOPLE], study, path)
        said = ""
        for command in first_commands((ROOT / "README.md").read_text(encoding="utf-8")):
            said += run(command, study, path)
        # The planted regions, and that other people have them.
        if "1, 2, 3, 4, 5, 6" not in said or ": confirmed" not in said:
            raise SystemExit(f"error: the planted regions were not found:\n{said}")
        pictures = [path for path in study.glob("*.png") if path.stat().st_size > 10_000]
        if not pictures:
            raise SystemExit("error: no picture was drawn")


if __name__ == "__main__":
    main(*sys.argv[1:])
