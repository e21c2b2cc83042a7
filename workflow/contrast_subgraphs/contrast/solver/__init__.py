"""Search, relaxation and rounding: good contrast subgraphs, without a proof."""
