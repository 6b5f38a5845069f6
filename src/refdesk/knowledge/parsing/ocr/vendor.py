"""The edge to OpenCV and ONNX Runtime, which have no type information; and where the models lie.

The models are PP-OCRv6 small (Apache-2.0), as they come inside the `rapidocr` wheel. Its Python code is not
used: loading it takes 2 s (YAML tables, HTTP clients, a downloader), this package 0.2 s.
"""

import ctypes
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

cv2: Any = import_module("cv2")
_onnxruntime: Any = import_module("onnxruntime")

cv2.setNumThreads(1)
_MMAP_THRESHOLD, _MAPPED_FROM = -3, 4 * 1024 * 1024

type Session = Any
"""A loaded model."""


def _return_memory() -> None:
    """Give each large tensor a mapping of its own, which goes back to the system with it.

    The C library of Linux raises this threshold to 32 MB by itself, and the layers of the networks then leave
    a heap full of holes: strips of a large page peaked at 790 MB without this call, at 490 MB with it.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_MMAP_THRESHOLD, _MAPPED_FROM)


def load_model(name: str, threads: int) -> Session:
    """A model by the name of its file. Raises `ModuleNotFoundError` where `rapidocr` is not installed."""
    _return_memory()
    spec = find_spec("rapidocr")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("rapidocr holds the OCR models and is not installed", name="rapidocr")
    options = _onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Pages differ in size: an arena would keep the largest buffers of each forever.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    path = Path(spec.submodule_search_locations[0]) / "models" / name
    return _onnxruntime.InferenceSession(str(path), sess_options=options, providers=["CPUExecutionProvider"])
