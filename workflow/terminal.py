"""What a run shows on the terminal: a line per job and a bar; the rest is in Snakemake's log."""

import logging
import os
import time
from pathlib import Path

from snakemake.logging import get_event, logger
from snakemake_interface_logger_plugins.common import LogEvent
from tqdm import tqdm

#: What Snakemake says about itself; warnings, errors and everything else are shown.
CHATTER = (
    *("Assuming unrestricted", "Building DAG", "Complete log", "Conda environments", "Execute "),
    *("Elapsed time", "Provided ", "Rules claiming", "Select jobs", "Using shell"),
)
EVENTS = (LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.JOB_STARTED)


class Progress(logging.Formatter):
    """Snakemake's events as lines; on a terminal with a bar below them."""

    def __init__(self):
        super().__init__()
        # What is quiet sends no events here: neither the number of jobs nor their start.
        self.bar, self.total = tqdm(disable=True), 0
        # contrast-subgraphs run --quiet
        self.quiet = "CONTRAST_SUBGRAPHS_QUIET" in os.environ
        self.running, self.began, self.done = {}, time.monotonic(), 0

    def filter(self, record):
        """Say whether something is to be shown, and keep what later lines are made of."""
        event, given = get_event(record), record.__dict__
        if event is LogEvent.RUN_INFO:
            # The rule `all` runs nothing.
            self.total = given["stats"]["total"] - given["stats"].get("all", 0)
            self.bar = tqdm(total=self.total, unit="job", disable=self.quiet or None, leave=False)
        elif event is LogEvent.JOB_INFO:
            about = given["rule_msg"]
            self.running[given["jobid"]] = about, time.monotonic(), given["log"]
            self.bar.set_postfix_str(about or "")
        elif event is LogEvent.JOB_FINISHED:
            self.done += 1
            self.bar.update()
            if self.done == self.total:
                self.bar.close()
            return not self.quiet and self.running.get(given["job_id"], (None,))[0] is not None
        elif "CalledProcessError in file" in str(record.msg):
            # JOB_ERROR says it in words.
            return False
        elif event is None and record.levelno < logging.WARNING:
            return not str(record.msg).startswith(CHATTER)
        else:
            return event not in (*EVENTS, LogEvent.SHELLCMD, LogEvent.PROGRESS)
        return False

    def format(self, record):
        event = get_event(record)
        text = record.getMessage() if record.msg else ""
        if event is LogEvent.JOB_FINISHED:
            text = self._finished(record.job_id)
        elif event is LogEvent.JOB_ERROR:
            text = self._failed(record)
        self.bar.clear()
        return text

    def _finished(self, job):
        about, started, logs = self.running.pop(job)
        now = time.monotonic()
        left = (now - self.began) / self.done * (self.total - self.done)
        ends = f", about {_duration(left)} left" if left > 5 and self.bar.disable else ""
        width = len(str(self.total))
        line = f"{self.done:{width}} of {self.total}  {about} ({_duration(now - started)}{ends})"
        found = [said for said in _lines(logs) if said.startswith("found in ")]
        return "\n".join([line, *(" " * (2 * width + 6) + said for said in found)])

    def _failed(self, record):
        # A cluster's error names no log, or its own in addition to the rule's.
        about, _, own = self.running.get(record.jobid, (record.rule_name, None, ()))
        logs = dict.fromkeys([*map(str, own), *map(str, record.log or ())])
        lines = _lines(logs)
        first = next((k for k, line in enumerate(lines) if line.startswith("error:")), -20)
        # The cluster's own words.
        why = [" ".join(record.rule_msg.split())] if record.rule_msg else []
        shown = [*why, *lines[first:][:20], *(f"log: {log}" for log in logs)]
        return "\n".join([f"failed: {about}", *shown])


def _lines(logs):
    """The lines of a job's log."""
    known = [path for path in map(Path, logs) if path.is_file()]
    return [line for path in known for line in path.read_text(encoding="utf-8").splitlines()]


def _duration(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def show_progress():
    """Let Snakemake's own handler say less, in the lines of `Progress`."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            progress = Progress()
            handler.addFilter(progress.filter)
            handler.setFormatter(progress)
            handler.nocolor = True
