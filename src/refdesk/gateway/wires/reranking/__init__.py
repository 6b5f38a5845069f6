"""Rerankers: a question and texts go out, one score a text comes back, whatever the server's dialect."""

from refdesk.gateway.wires.reranking.client import RemoteReranker, detect_shape
from refdesk.gateway.wires.reranking.shapes import DEFAULT_SHAPE, SHAPES, Shape

__all__ = ["DEFAULT_SHAPE", "SHAPES", "RemoteReranker", "Shape", "detect_shape"]
