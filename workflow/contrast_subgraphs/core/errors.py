"""The one error a user should ever see."""


class InputError(ValueError):
    """Something that was given cannot be used.

    The message is for the person at the keyboard: it names the thing (file,
    subject, key, value), says what is wrong with it and what to do about it.

    See Also
    --------
    NoTest : Data that allow no test.

    Examples
    --------
    >>> from contrast_subgraphs import difference_graph
    >>> try:
    ...     difference_graph([], ["a", "b"], "a-b")
    ... except InputError as error:
    ...     print(error)
    graphs must have the shape (n_graphs, n_vertices, n_vertices), not (0,)
    """
