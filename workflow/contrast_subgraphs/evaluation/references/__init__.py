"""Methods to compare with the paper's: without brain data, plain ones, weighted contrasts."""
