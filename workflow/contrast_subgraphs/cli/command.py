"""What all commands share: errors in one line, each warning once, and stderr for non-results."""

import functools
import os
import warnings

import click
from click.core import ParameterSource

from ..core.data_warnings import is_for_the_user
from ..core.errors import InputError


class Command(click.Command):
    """A command that shows an error in one line, and each warning once."""

    def invoke(self, context):
        told = set()

        def show(message, category, *_, **__):
            if is_for_the_user(category) and str(message) not in told:
                told.add(str(message))
                click.echo(f"warning: {' '.join(str(message).split())}", err=True)

        # Only warnings about the user's data are shown; those of libraries about their own future
        # are not.
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            try:
                return super().invoke(context)
            except InputError as error:
                click.echo(f"error: {error}", err=True)
                context.exit(1)
            except KeyboardInterrupt:
                click.echo("error: interrupted", err=True)
                context.exit(130)


#: Decorator of a command.
command = functools.partial(click.command, cls=Command)


def say(text):
    """Say something on stderr that is not a result, warning or error, unless `--quiet` is given."""
    context = click.get_current_context(silent=True)
    if context is None or not context.params["quiet"]:
        click.echo(text, err=True)


def given(name):
    """Return whether an option was given on the command line, whatever its value."""
    context = click.get_current_context(silent=True)
    if context is None:
        return False
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def cores():
    """Return how many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        # A cluster's job may be given fewer cores than the machine has.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def entity_of(text):
    """Return the name and the value of an entity of BIDS, as ``space=MNI``."""
    name, _, value = text.partition("=")
    if not (name and value):
        raise InputError(f"--entity {text}: give a name and a value, such as space=MNI")
    return name, value
