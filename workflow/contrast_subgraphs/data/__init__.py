"""Sources of graphs and time series, and the people they belong to.

The sources: `abide`, `published`, `simulated`, and `folder` for your own data, for which `files`,
`images` and `bids` find the files and `reading` reads them. `people` is the table of people.
"""
