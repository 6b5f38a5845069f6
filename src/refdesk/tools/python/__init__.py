"""Tools of Python code: read without being run, run in the sandbox."""
