"""`python -m contrast_subgraphs` is the command line."""

from .cli import main

main(prog_name="contrast-subgraphs")
