"""What a run says on the terminal: one line a job and a bar; the rest is in Snakemake's log."""

import logging
import time
from pathlib import Path

from snakemake.logging import get_event, logger
from snakemake_interface_logger_plugins.common import LogEvent
from tqdm import tqdm

#: Snakemake's words about itself; warnings, errors and all else are shown.
CHATTER = (
    *("Assuming unrestricted", "Building DAG", "Complete log", "Conda environments", "Execute "),
    *("Elapsed time", "Provided ", "Rules claiming", "Select jobs", "Using shell"),
)
EVENTS = (LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.JOB_STARTED)


class Progress(logging.Formatter):
    """Snakemake's events as lines; on a terminal with a bar below them."""

    def __init__(self):
        super().__init__()
        self.bar, self.running, self.began, self.done = None, {}, time.monotonic(), 0

    def filter(self, record):
        """Say whether something is to be shown, and keep what later lines are made of."""
        event, given = get_event(record), record.__dict__
        if event is LogEvent.RUN_INFO:
            self.total = given["stats"]["total"]
            self.bar = tqdm(total=self.total, unit="job", disable=None, leave=False)
        elif event is LogEvent.JOB_INFO:
            about = given["rule_msg"]
            self.running[given["jobid"]] = about, time.monotonic()
            self.bar.set_postfix_str(about or "")
        elif event is LogEvent.JOB_FINISHED:
            self.done += 1
            self.bar.update()
            if self.done == self.total:
                self.bar.close()
            return self.running[given["job_id"]][0] is not None
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
        self.bar is not None and self.bar.clear()
        return text

    def _finished(self, job):
        about, started = self.running.pop(job)
        now = time.monotonic()
        left = (now - self.began) / self.done * (self.total - self.done)
        ends = f", about {_duration(left)} left" if left > 5 and self.bar.disable else ""
        width = len(str(self.total))
        return f"{self.done:{width}} of {self.total}  {about} ({_duration(now - started)}{ends})"

    def _failed(self, record):
        about, _ = self.running.get(record.jobid, (record.rule_name, 0))
        said = [f"failed: {about}"]
        for log in map(Path, (path.split(" (")[0] for path in record.log)):
            lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
            first = next((k for k, line in enumerate(lines) if line.startswith("error:")), 0)
            said += [*lines[first:][-20:], f"log: {log}"]
        return "\n".join(said)


def _duration(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def show_progress():
    """Let Snakemake's own handler say less, and what it says as lines of `Progress`."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            progress = Progress()
            handler.addFilter(progress.filter)
            handler.setFormatter(progress)
            handler.nocolor = True
