"""The config: read, completed and checked before any work starts."""

import copy
import warnings

from ..core.checks import in_words
from ..core.errors import InputError
from ..core.extras import optional
from ..methods import named_methods
from . import schema, sections
from .defaults import fill_in, with_contrasts, without_defaults

#: Keys of earlier versions: section, old name, new name.
RENAMED = (("contrast", "weights", "edge_statistic"),)

#: Keys of earlier versions of the SVM, which is linear now as in the paper.
SVM_KEYS = ("kernel", "gamma")


def read_config(path):
    """Read one config file, strictly: no key may be given twice in one place."""
    yaml = optional("yaml", "workflow")

    class Strict(yaml.SafeLoader):
        def construct_mapping(self, node, deep=False):
            found = set()
            for key, _ in node.value:
                # YAML silently takes the last of two values, and the user cannot see which one
                # counts.
                if key.value in found:
                    line = key.start_mark.line + 1
                    raise InputError(f"{path}, line {line}: the key {key.value!r} is given twice")
                found.add(key.value)
            return super().construct_mapping(node, deep)

    try:
        with open(path, encoding="utf-8") as file:
            config = Strict(file).get_single_data()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(config or {}, dict):
        raise InputError(f"{path} must hold lines like `key: value`")
    return config or {}


def effective(files, defaults):
    """Return the checked config of a run, as the workflow has it.

    Parameters
    ----------
    files : sequence of str or Path
        The configs that are laid over ``config.yaml``, in their order.
    defaults : str or Path
        ``config.yaml`` itself.

    Returns
    -------
    dict
        The config, with all defaults filled in.

    Raises
    ------
    InputError
        If a file cannot be read, or the config cannot be used.
    """
    given: dict = {}
    for file in files:
        given = _laid_over(given, read_config(file))
    default = read_config(defaults)
    return checked(without_defaults(_laid_over(default, given), default, given))


def _laid_over(config, given):
    """Return a config with another one laid over it, section by section, as Snakemake does it."""
    found = dict(config)
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            value = _laid_over(found[key], value)
        found[key] = value
    return found


def checked(config):
    """Return a checked copy of the config.

    `config`: what ``config.yaml`` and the files laid over it say. A cohort or a group that is
    ``null`` is left out (so that a file laid over another can remove it). Warn if a key has its
    name from an earlier version.
    """
    config = copy.deepcopy(dict(config))
    # 1. Keys of earlier versions.
    for section, old, new in RENAMED:
        if isinstance(config.get(section), dict) and old in config[section]:
            warnings.warn(f"{section}.{old} is now {section}.{new}: rename it", stacklevel=2)
            config[section][new] = config[section].pop(old)
    _drop_svm_keys(config)
    # 2. What a file laid over another one removes. The names are kept, since keys for these
    # cohorts are then no mistake.
    cohorts = {}
    if isinstance(config.get("cohorts"), dict):
        cohorts = config["cohorts"]
    _drop_removed(config)
    if isinstance(config.get("methods"), dict):
        config["methods"], own = named_methods(config["methods"])
        if own:
            config["own_methods"] = own
    # 3. The schema first: later checks may rely on types. All complaints are reported at once.
    complaints = list(schema.complaints(config)) or list(sections.asked(config))
    if not complaints:
        with_contrasts(config)
        complaints = list(sections.complaints(config, cohorts))
    if complaints:
        listed = "".join(f"\n  {one}" for one in dict.fromkeys(complaints))
        raise InputError(f"the config cannot be used:{listed}")
    # 4. What the config leaves to defaults.
    fill_in(config)
    return config


def _drop_removed(config):
    """Take out groups, cohorts and contrasts that are null; `--config` gives null as a text."""
    for part in ("groups", "cohorts", "contrasts"):
        if isinstance(config.get(part), dict):
            kept = {name: one for name, one in config[part].items() if one not in (None, "null")}
            config[part] = kept


def _drop_svm_keys(config):
    """Take the keys of other kernels out of a config; raise InputError if one is asked for.

    A linear SVM with just a warning would answer another question than the one that was asked.
    """
    evaluation = config.get("evaluation")
    if not isinstance(evaluation, dict) or not isinstance(evaluation.get("svm"), dict):
        return
    svm = evaluation["svm"]
    if svm.get("kernel", "linear") != "linear":
        raise InputError(
            f"evaluation.svm.kernel: {svm['kernel']} no longer exists: the SVM is linear. Make a "
            "method of your own: a file with scikit-learn's SVC (CONTRIBUTING.md, A new method)"
        )
    gone = [key for key in SVM_KEYS if key in svm]
    if gone:
        named = in_words(f"evaluation.svm.{key}" for key in gone)
        warnings.warn(
            f"{named}: no longer needed, the SVM is linear: leave it out, C is enough", stacklevel=3
        )
    evaluation["svm"] = {key: value for key, value in svm.items() if key not in gone}
