"""Methods to set beside the paper's: what is not the brain, plain ones, weighted contrasts."""
