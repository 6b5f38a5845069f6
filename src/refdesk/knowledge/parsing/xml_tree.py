"""The edge to lxml, which has no type information: elements are `Any`, named for the reader."""

from importlib import import_module
from typing import Any

etree: Any = import_module("lxml.etree")
XMLSyntaxError: type[Exception] = etree.XMLSyntaxError

type Element = Any
"""An lxml element; iterating gives its children, `get` an attribute or the default."""


def local_name(node: Element) -> str:
    """Name of an element without its name space; empty for what is no element."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def whole_number(node: Element, attribute: str, default: int = 0) -> int:
    """A whole number from 0 of an attribute; the default where there is none or something else."""
    value = node.get(attribute) or ""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default
