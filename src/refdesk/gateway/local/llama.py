"""A GGUF file served by llama.cpp in threads of this process, on loopback and with a key of its own.

The key matters: llama.cpp lets pages of any site call it, so without one whatever a browser on this machine
shows could use the model.
"""

import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refdesk.gateway.local.errors import LocalModelsMissing, LocalModelUnusable

HOST = "127.0.0.1"
_MAGIC = b"GGUF"
_QUIET = 1


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that is served while this object lives."""

    name: str
    base_url: str
    api_key: str
    server: Any


def start_local_model(
    path: Path,
    *,
    name: str,
    port: int = 0,
    context_tokens: int = 8192,
    threads: int = 0,
    gpu_layers: int = -1,
) -> LocalModel:
    """Load a file and serve it; takes as long as reading it does. `port` 0 is any free one, `context_tokens`
    0 the model's own, `threads` 0 as many as there are cores, `gpu_layers` -1 what the library finds good.

    Raises `LocalModelsMissing`, `LocalModelUnusable`.
    """
    _require_gguf(path)
    try:
        import xllamacpp  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise LocalModelsMissing from error
    library: Any = xllamacpp
    parameters: Any = library.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {name} if isinstance(parameters.model_alias, set) else name
    parameters.hostnames = [HOST]
    parameters.port = port or _free_port()
    key = secrets.token_urlsafe(24)
    parameters.api_keys = [key]
    parameters.n_ctx = context_tokens
    parameters.n_gpu_layers = gpu_layers
    parameters.ui = False
    parameters.verbosity = _QUIET
    if threads:
        parameters.cpuparams.n_threads = threads
        parameters.cpuparams_batch.n_threads = threads
    try:
        server = library.Server(parameters)
        address = str(server.listening_address).rstrip("/")
    except (RuntimeError, ValueError, OSError) as error:
        raise LocalModelUnusable(
            f"llama.cpp cannot serve {path.name}: {str(error) or 'no reason was given'}.", file=path.name
        ) from error
    return LocalModel(name, f"{address}/v1", key, server)


def _require_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise LocalModelUnusable(f"{path} cannot be read: {error.strerror}.", file=path.name) from error
    if magic != _MAGIC:
        raise LocalModelUnusable(f"{path.name} is not a GGUF file.", file=path.name)


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as taken:
        return int(taken.getsockname()[1])
