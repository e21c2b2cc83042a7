"""Methods to set beside the paper's: what is not the brain, plain ones, weighted contrasts.

Each module is a method or two, transformers over `subject_data.Subjects` with scikit-learn's
methods, named in the registry of methods.
"""
