"""Sessions for several Python versions: `nox`, or `nox -s tests-3.12`."""

import nox

nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["tests", "lint"]
PYTHONS = ["3.11", "3.12", "3.13"]


def _install(session, requirements="requirements-dev"):
    session.install("--require-hashes", "-r", f"envs/{requirements}.txt")


@nox.session(python=PYTHONS)
def tests(session):
    """Run the tests."""
    _install(session)
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "loadfile", *session.posargs)


@nox.session
def lint(session):
    """Run formatters and linters."""
    _install(session)
    session.run("python", "-m", "pytest", "tests/workflow/test_style.py", *session.posargs)


@nox.session
def build(session):
    """Build what is published, and check it, its recipes and its workflows."""
    _install(session, "requirements-packaging")
    session.run("yamllint", "--strict", ".github", ".pre-commit-config.yaml", "packaging/conda")
    session.run("zizmor", "--offline", "--min-severity", "medium", ".github")
    session.run("hadolint", "Dockerfile")
    session.run("python", "packaging/conda/check.py")
    session.run("python", "packaging/build.py", "dist")
    made = ["dist/" + name for name in _made()]
    session.run("twine", "check", "--strict", *made)
    session.run("check-wheel-contents", *[name for name in made if name.endswith(".whl")])


def _made():
    from pathlib import Path

    return sorted(path.name for path in Path("dist").iterdir())


@nox.session(python=PYTHONS)
def install(session):
    """Run the README's first commands from the wheel that `nox -s build` has made."""
    session.run("python", "packaging/try_wheel.py", "dist")
