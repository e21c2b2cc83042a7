"""`bids`: the workflow as a BIDS App, from derivatives to derivatives."""

import hashlib
import json
import os
import shutil
import warnings
from pathlib import Path

import click

from .. import __version__
from ..core.atomic_files import check_writable, save_text
from ..core.errors import InputError
from .command import Command, command, entity_of, say
from .run import run_workflow, workflow_folder

#: Options that take everything up to the next option, as in BIDS Apps.
_SEVERAL = ("--participant-label", "--session-label", "--task-id", "--atlas")
#: Keys that a further config cannot have, since the command sets them.
_OWN_KEYS = ("source", "results", "only_graphs")
_OWN_SOURCE = ("subjects", "id", "files")
_SOURCE = "folder"
#: Covariates that come from the files or the question and not from the table of people.
_OF_GRAPHS = ("volumes", "value", "person", "group")


class BidsCommand(Command):
    """A command whose options may be written as in other BIDS Apps."""

    def parse_args(self, context, args):
        """Read ``--n_cpus`` as ``--n-cpus``, and ``--participant-label 01 02`` as given twice."""
        spread = []
        several = None
        count = 0
        for argument in args:
            if argument.startswith("-") and argument != "-":
                name, equals, value = argument.partition("=")
                if name.startswith("--"):
                    name = name.replace("_", "-")
                several = None
                if name in _SEVERAL and not equals:
                    several = name
                count = 0
                argument = name + equals + value
            elif several:
                if count:
                    spread.append(several)
                count += 1
            spread.append(argument)
        return super().parse_args(context, spread)


@command(cls=BidsCommand)
@click.argument("bids_dir", type=click.Path())
@click.argument("output_dir", type=click.Path())
@click.argument("level", type=click.Choice(["participant", "group"]), metavar="participant|group")
@click.option(
    "--participant-label", multiple=True, help="Which people, with or without `sub-`: 01 02 03."
)
@click.option("--session-label", "--session", multiple=True, help="Which session.")
@click.option("--task-id", "--task", multiple=True, help="Which task.")
@click.option("--atlas", multiple=True, help="Which atlas.")
@click.option("--entity", multiple=True, help="Any other entity in their names, as space=MNI.")
@click.option("--bids-filter-file", type=click.Path(), help="JSON that chooses files by entities.")
@click.option("--work-dir", "-w", type=click.Path(), help="[default: OUTPUT_DIR/work]")
@click.option("--n-cpus", "--nprocs", type=click.IntRange(1), help="[default: all]")
@click.option("--mem-mb", type=click.IntRange(1), help="Memory that all jobs share. [default: all]")
@click.option("--skip-bids-validation", is_flag=True, help="Take the input as it is.")
@click.option("--config", type=click.Path(), help="A further config, laid over the proposed one.")
@click.option("--group-column", help="The table's column with the group.")
@click.option("--people", type=click.Path(), help="The table of people, if it is elsewhere.")
@click.option(
    "--kind", type=click.Choice(["series", "matrix", "image"]), help="What the files hold."
)
@click.option("--key", help="The name of the array in .mat files.")
@click.option(
    "--runs", type=click.Choice(["join", "first"]), help="What to do with several runs of a person."
)
@click.option("--atlas-image", type=click.Path(), help="For 4-D images: the regions (NIfTI).")
@click.option(
    "--unlock", is_flag=True, help="After a kill: unlock the work folder and do nothing else."
)
@click.option("--quiet", "-q", is_flag=True, help="Only warnings, errors and the last lines.")
@click.option("--verbose", "-v", is_flag=True, help="Everything that Snakemake says.")
@click.version_option(__version__, prog_name="contrast-subgraphs")
@click.pass_context
def bids(context, bids_dir, output_dir, level, **options):
    """Run the workflow as a BIDS App, from derivatives of XCP-D, fMRIPrep, giga_connectome, ...

    `participant` makes each person's graph, `group` everything else (and the graphs that are not
    there yet). OUTPUT_DIR becomes a dataset of BIDS derivatives, with the page at its top.

    \b
    contrast-subgraphs bids derivatives/xcp_d derivatives/contrast participant --atlas Gordon
    contrast-subgraphs bids derivatives/xcp_d derivatives/contrast group --atlas Gordon
    """
    source = Path(bids_dir).expanduser().absolute()
    folder = Path(output_dir).expanduser().absolute()
    work = folder / "work"
    if options["work_dir"]:
        work = Path(options["work_dir"]).expanduser().absolute()
    for place in (folder, work):
        check_writable(place, "give another folder")
    proposal = _proposal(source, work, level, options)
    derivatives = _derivatives(source, folder, proposal, options)
    # Only the level `group` compares people, so only there the groups are of interest.
    found = proposal.layout.found
    if level == "group":
        found = proposal.found
    # Whatever was chosen for the user is said before hours of work begin.
    for sentence in found:
        say(sentence)
    configs = _configs(proposal, work, level, options)
    config = _effective(configs, work)
    for name in _unknown_covariates(config, proposal.layout.people):
        # `participant` needs no covariates, but hours of `group` would end in an error.
        warnings.warn(
            f"{name} is named as a covariate, and the table of people has no such column: `group` "
            "will refuse it",
            stacklevel=2,
        )
    code = run_workflow(configs, _snakemake(work, options), **_how(options))
    if code or options["unlock"]:
        context.exit(code)
    _write(derivatives, config, work / "results" / _SOURCE, level, options)
    page = folder / "report.html"
    if level == "group" and page.is_file():
        click.echo(page)
    else:
        click.echo(folder)


def _proposal(source, work, level, options):
    """Return the config that `init` proposes for what was chosen of the input."""
    from ..config.propose import propose_config
    from ..data.bids_filters import check_dataset

    if not source.is_dir():
        raise InputError(f"{source} is not a folder")
    if not options["skip_bids_validation"]:
        check_dataset(source)
    entities = _entities(options)
    labels = list(options["participant_label"])
    if "sub" in entities:
        labels.append(entities.pop("sub"))
    names = ("people", "kind", "key", "runs", "atlas_image")
    choices = {name: options[name] for name in names}
    if level == "group":
        # At the level `participant` the people of one group may come alone.
        choices["group_column"] = options["group_column"]
    output = work / "config.yaml"
    proposal = propose_config(source, output, entities=entities, labels=labels, **choices)
    if proposal.layout.dataset is None:
        raise InputError(
            f"{source} has no files of people that are named as in BIDS derivatives: "
            "`contrast-subgraphs init` reads other folders"
        )
    return proposal


def _entities(options):
    """Return which files are meant: entity -> value."""
    from ..data.bids import ATLAS
    from ..data.bids_filters import LONG_NAMES, one_label, read_filters, without_prefix

    found = {}
    if options["bids_filter_file"]:
        found = read_filters(options["bids_filter_file"])
    asked = {
        "ses": one_label("--session-label", options["session_label"]),
        "task": one_label("--task-id", options["task_id"]),
        "atlas": one_label("--atlas", options["atlas"]),
    }
    for one in options["entity"]:
        name, value = entity_of(one)
        asked[LONG_NAMES.get(name, name)] = value
    for name, value in asked.items():
        if value is None:
            continue
        prefixes = (name,)
        if name == "atlas":
            prefixes = ATLAS
        value = without_prefix(value, *prefixes)
        if found.setdefault(name, value) != value:
            raise InputError(
                f"{options['bids_filter_file']} says {name}-{found[name]}, and an option {value}"
            )
    return found


def _derivatives(source, folder, proposal, options):
    """Return what is to be written, after a check of what is there."""
    from ..report.derivatives import Derivatives, check_folder

    layout = proposal.layout
    names = layout.people[layout.column].tolist()
    files = dict(zip(names, layout.files, strict=True))
    if options["runs"] == "first":
        files = {name: own[:1] for name, own in files.items()}
    atlas = ""
    if options["atlas_image"]:
        atlas = Path(options["atlas_image"]).name.partition(".")[0]
    derivatives = Derivatives(folder, source, layout.dataset.entities, files, atlas)
    check_folder(derivatives)
    return derivatives


def _configs(proposal, work, level, options):
    """Write the config of the run; return the files that are laid over each other."""
    from ..config import read_config

    further = {}
    if options["config"]:
        further = read_config(options["config"])
        _check_further(options["config"], further)
    path = work / "config.yaml"
    configs = [path]
    text = proposal.text
    if level == "participant":
        text += "only_graphs: true\n"
    elif proposal.groups.column is None:
        if not further.keys() & {"groups", "contrasts"}:
            raise InputError(_no_groups(proposal))
        text = _without_groups(text)
    proposal._replace(text=text).save(path)
    if options["config"]:
        configs.append(Path(options["config"]).absolute())
    return [str(one) for one in configs]


def _no_groups(proposal):
    """Say why no one can be compared."""
    if proposal.layout.participants is None:
        return "there is no participants.tsv in the input or above it: give the table with --people"
    return f"{proposal.layout.participants}: {proposal.found[-1]}"


def _without_groups(text):
    """Return a config without the groups that were to be edited."""
    import yaml

    config = yaml.safe_load(text)
    del config["groups"]
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def _check_further(path, further):
    """Raise InputError if a further config sets what the command itself sets."""
    own = [key for key in _OWN_KEYS if key in further]
    sources = further.get("sources") or {}
    own += [f"sources.{name}" for name in sources if name != _SOURCE]
    own += [f"sources.{_SOURCE}.{key}" for key in sources.get(_SOURCE) or {} if key in _OWN_SOURCE]
    if own:
        raise InputError(f"{path}: {own[0]} is set by this command; leave it out")


def _effective(configs, work):
    """Return the whole config; if it has changed, remove the tables of the earlier one.

    Otherwise a table that is no longer made would be taken for one of this run.
    """
    from ..config import effective
    from ..report.methods_text import FILES

    config = effective(configs, workflow_folder() / "config.yaml")
    digest = hashlib.sha256(json.dumps([__version__, config], sort_keys=True).encode()).hexdigest()
    made = work / "config.sha256"
    if not made.is_file() or made.read_text(encoding="utf-8") != digest:
        results = work / "results" / _SOURCE
        shutil.rmtree(results / "tables", ignore_errors=True)
        for name in ("report.html", *FILES.values()):
            (results / name).unlink(missing_ok=True)
        save_text(made, digest)
    return config


def _unknown_covariates(config, people):
    """Yield the covariates of a config that are not known of the people."""
    from ..core.columns import columns_of
    from ..data.people import KNOWN_COLUMNS

    columns = {name.lower() for name in columns_of(people)}
    for name in dict.fromkeys([*config["graph"]["adjust"], *config["inference"]["covariates"]]):
        if name in _OF_GRAPHS:
            continue
        standard, others = KNOWN_COLUMNS.get(name, ("", ()))
        chosen = config["sources"][_SOURCE].get(name)
        if not chosen and not columns & {standard.lower(), *others}:
            yield name


def _snakemake(work, options):
    """Return the options of Snakemake."""
    asked = ["--directory", str(work)]
    if options["mem_mb"]:
        asked += ["--resources", f"mem_mb={options['mem_mb']}"]
    for name in ("verbose", "unlock"):
        if options[name]:
            asked.append(f"--{name}")
    return asked


def _how(options):
    return {"n_cores": options["n_cpus"], "quiet": options["quiet"]}


def _write(derivatives, config, results, level, options):
    """Write the derivatives from the results of the run."""
    import yaml

    from ..core.atlas import load_atlas
    from ..core.graphs import SubjectGraphs
    from ..design import questions_of
    from ..report import derivatives as written

    graph = {key: one for key, one in config["graph"].items() if key not in ("adjust", "modes")}
    settings = _reading(config["sources"][_SOURCE]) | graph
    graphs = SubjectGraphs.load(results / "graphs" / "subjects.npz")
    atlas = load_atlas(results / "data" / "atlas.tsv")
    # Graphs of people who were not asked for stay, at both levels.
    all_people = not (options["participant_label"] or "sub" in _entities(options))
    written.write_dataset(derivatives, __version__, _container())
    said = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    save_text(derivatives.folder / "logs" / "config.yaml", said)
    changed = written.write_people(derivatives, graphs, atlas, settings, all_people)
    if level == "group":
        questions = questions_of(config)
        contrasts = {cohort: question.contrasts for cohort, question in questions.items()}
        written.write_group(derivatives, results, contrasts)
        written.write_citation(derivatives, __version__, results)
    # Results of the group that were made from other graphs must not stay next to the new ones.
    elif changed or not written.has_group(derivatives):
        if written.remove_group(derivatives):
            say("graphs have changed: earlier results of the group are removed; run group again")
        written.write_citation(derivatives, __version__)


def _reading(source):
    """Return what the config says about how files are read, except where they are."""
    names = ("kind", "key", "runs", "windows", "triangle")
    found = {name: source[name] for name in names if source.get(name) is not None}
    if source["kind"] == "image":
        found["image"] = source["image"] | {"atlas": Path(source["image"]["atlas"]).name}
    return found


def _container():
    """Return the container in which this runs; None where no image is known.

    Docker does not tell which image a container is of, and a description without it says nothing.
    """
    for name in ("apptainer", "singularity"):
        image = os.environ.get(f"{name.upper()}_CONTAINER")
        if image:
            return {"Type": name, "Tag": Path(image).name}
    return None
