"""Tools that a workspace keeps itself: Python code and HTTP interfaces. Owns their rows, secrets and routes.

What runs them is in `tools.python` and `tools.openapi`.
"""
