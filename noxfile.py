"""Sessions for several Python versions: `nox`, or `nox -s tests-3.12`."""

import nox

nox.options.reuse_existing_virtualenvs = True


def _install(session):
    session.install("--require-hashes", "-r", "envs/requirements-dev.txt")


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session):
    """Run the tests."""
    _install(session)
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "loadfile", *session.posargs)


@nox.session
def lint(session):
    """Run formatters and linters."""
    _install(session)
    session.run("python", "-m", "pytest", "tests/workflow/test_style.py", *session.posargs)
