"""Chat models from a GGUF file on this machine (the extra `local`): llama.cpp within this process.

Owns loading the file and serving it on loopback; it is then a model like any other, of the vendor
`llama-cpp`. Must not be imported where no local model is run: the library is 100 MB.
"""

from refdesk.gateway.local.errors import LocalModelsMissing, LocalModelUnusable
from refdesk.gateway.local.llama import LocalModel, start_local_model

__all__ = ["LocalModel", "LocalModelUnusable", "LocalModelsMissing", "start_local_model"]
