"""Snakemake's Slurm plugin waits ten seconds longer each time that no job has ended: one second."""

import asyncio

_sleep = asyncio.sleep


def _at_most_a_second(delay, *result):
    return _sleep(min(delay, 1), *result)


asyncio.sleep = _at_most_a_second
