"""What can go wrong with a model of this machine."""

from refdesk.kit.errors import AppError, Invalid


class LocalModelsMissing(AppError):
    """The extra that runs GGUF files is not installed."""

    code = "local-models-missing"
    status = 501
    message = "What runs GGUF files is not installed."
    hint = "Install it with: pip install 'refdesk[local]'. Or run Ollama or llama-server, and connect that."


class LocalModelUnusable(Invalid):
    """A file is no GGUF model, or cannot be loaded or served here."""

    code = "local-model-unusable"
    message = "The model file cannot be used."
    hint = "Give a GGUF file of a chat model that fits into memory; a smaller --context needs less."
