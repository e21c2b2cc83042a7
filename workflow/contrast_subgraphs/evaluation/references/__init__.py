"""Methods to set beside the paper's: what is not the brain, plain ones, weighted contrasts.

Each module is a method or two, as scikit-learn transformers over `subjects.Subjects`. They
are named in `methods.METHODS`.
"""
