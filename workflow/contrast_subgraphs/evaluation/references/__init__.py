"""Methods to compare with the paper's: what is not the brain, plain ones, weighted contrasts."""
