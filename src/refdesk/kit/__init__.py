"""Tools without domain words: settings, database, errors, ids, clock, crypto, http, sse.

Owns nothing of the product's vocabulary. Its modules are imported by name (`refdesk.kit.errors`);
every other room is entered through its `__init__` only.
"""
