"""Sources of graphs and time series: one module per source."""
