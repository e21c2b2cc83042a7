"""What is wrong in a config by its schema, in words."""

import contextlib
import math
from pathlib import Path

from ..core.checks import did_you_mean, in_words
from ..core.extras import optional
from ..core.reading_options import READING_OPTIONS
from ..design.question import KINDS, asked_kinds

SCHEMA = Path(__file__).parent / "schema.yaml"


def complaints(config):
    """Yield what the schema says against a config; numbers written as texts become numbers."""
    # The schema's own error for such a key would be a traceback.
    said = list(_no_texts(config))
    yield from said
    if said:
        return
    validator = _validator(config_schema())
    _read_numbers(config, validator)
    for error in sorted(validator.iter_errors(config), key=lambda one: list(map(str, one.path))):
        yield from _explain(error)


def config_schema():
    """Return the schema of the config: the file, and keys that are listed where they belong.

    These are the keys of all kinds of questions, and the options of reading.
    """
    schema = optional("yaml", "workflow").safe_load(SCHEMA.read_text("utf-8"))
    keys = schema["$defs"]["cohort"]["properties"]
    for kind in asked_kinds():
        keys[kind] = KINDS[kind].schema
    folder = schema["properties"]["sources"]["properties"]["folder"]["properties"]
    folder |= {name: option.schema for name, option in READING_OPTIONS.items()}
    return schema


def near(name, known):
    """Return the known names that are like an unknown one, or all of them if none is."""
    known = list(map(str, known))
    return did_you_mean(name, known) or f" (known: {in_words(known, most=99)})"


def _no_texts(config, where=""):
    """Yield what is wrong with keys that YAML does not read as texts."""
    for key, value in config.items() if isinstance(config, dict) else ():
        if not isinstance(key, str):
            yield f"{where or 'the config'}: YAML reads a key as {key!r}; write it in quotes"
        yield from _no_texts(value, f"{where}.{key}" if where else str(key))


def _validator(schema):
    """Return a validator for which 5.0 is not a whole number, and numbers are finite."""
    jsonschema = optional("jsonschema", "workflow")
    numbers = {
        "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
        "number": lambda _, value: (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        ),
    }
    base = jsonschema.Draft202012Validator
    types = base.TYPE_CHECKER.redefine_many(numbers)
    return jsonschema.validators.extend(base, type_checker=types)(schema)


def _read_numbers(config, validator):
    """Turn texts into numbers where the schema wants a number.

    Snakemake reads numbers in `--config graph='{percentile: 90}'` as texts, and YAML does so with
    1e-9.
    """
    for error in list(validator.iter_errors(config)):
        if error.validator != "type" or not isinstance(error.instance, str):
            continue
        *folders, last = error.path
        place = config
        for key in folders:
            place = place[key]
        for read in (int, float, {"true": True, "false": False, "null": None}.__getitem__):
            with contextlib.suppress(ValueError, KeyError):
                value = read(error.instance)
                if validator.evolve(schema={"type": error.validator_value}).is_valid(value):
                    place[last] = value
                    break


def _explain(error):
    """Yield what is wrong, from one of jsonschema's errors."""
    where = ".".join(map(str, error.path)) or "the config"
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        for key in error.instance.keys() - set(known):
            yield f"{where}: unknown key {key!r}{near(key, known)}"
    elif error.validator == "anyOf" and error.context:
        # Explain the allowed kind that came furthest: probably that is the one which was meant.
        yield from _explain(max(error.context, key=lambda inner: len(inner.path)))
    elif error.validator == "pattern" and "propertyNames" in error.schema_path:
        yield f"{where}: the name {error.instance!r} becomes that of a folder: {error.message}"
    elif error.validator == "maxLength" and "propertyNames" in error.schema_path:
        yield (
            f"{where}: the name {error.instance[:20]}... has {len(error.instance)} letters and "
            f"becomes a part of files' names: take at most {error.validator_value} (a label may "
            "be longer)"
        )
    elif error.validator == "enum" and error.instance not in error.validator_value:
        allowed = error.validator_value
        yield f"{where}: {error.instance!r} is unknown{near(error.instance, allowed)}"
    elif error.validator == "minimum" and error.schema.get("exclusiveMaximum") == 100:
        given = error.instance
        meant = f": did you mean {given * 100:g}?" if 0 < given < 1 else ""
        yield f"{where}: {given:g} is not a percentile from 1 to below 100{meant}"
    else:
        yield f"{where}: {error.message}"
