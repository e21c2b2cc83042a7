"""Sources of graphs and time series: one module a source."""
