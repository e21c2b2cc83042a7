"""Build the sdist and the wheel, and again from that sdist elsewhere: the same bytes, or an error.

    python packaging/build.py dist

The second build shows two things: nothing in the files depends on when, where or by whom they are
built, and the sdist holds all that is needed. Times inside are that of the last commit, or of
SOURCE_DATE_EPOCH where that is set.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tracked(root):
    """Return the files that Git holds below `root`, as they are there now; without Git an error."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


def time_of_sources(root):
    """Return the seconds since 1970 that the files inside get as their time."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return os.environ["SOURCE_DATE_EPOCH"]
    command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def build(source, folder, seconds):
    """Build both distributions of a folder of sources; return {name: path}."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)],
        cwd=source,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(seconds)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"error: it cannot be built:\n{done.stderr}")
    return {path.name: path for path in sorted(Path(folder).iterdir())}


def build_twice(root, names, seconds, folder):
    """Build the named files of `root` into `folder`, and again from what came out.

    Raises
    ------
    SystemExit
        If a file of the second build differs from that of the first.
    """
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "first" / "sources"
        for name in names:
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, target)
        first = build(source, folder, seconds)
        (sdist,) = [path for path in first.values() if path.name.endswith(".tar.gz")]
        elsewhere = Path(scratch) / "second"
        with tarfile.open(sdist) as archive:
            archive.extractall(elsewhere, filter="data")
        (unpacked,) = elsewhere.iterdir()
        for path in unpacked.rglob("*"):
            # Another user's permissions, and the time of now.
            if path.is_file():
                path.chmod(0o600)
                os.utime(path)
        second = build(unpacked, elsewhere / "built", seconds)
        differ = [name for name in first | second if not _same(first.get(name), second.get(name))]
    if differ:
        raise SystemExit(f"error: two builds differ: {', '.join(differ)}")
    return first


def _same(one, other):
    return None not in (one, other) and one.read_bytes() == other.read_bytes()


def main(folder):
    """Build the checkout into a folder."""
    made = build_twice(ROOT, tracked(ROOT), time_of_sources(ROOT), Path(folder))
    for path in made.values():
        print(f"{path} ({path.stat().st_size:,} bytes), twice the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
