"""Amazon Bedrock's wire: completions by Converse, embeddings by InvokeModel, signed requests."""

from refdesk.gateway.wires.bedrock.embeddings import BedrockEmbeddings
from refdesk.gateway.wires.bedrock.request import BedrockFormat
from refdesk.gateway.wires.bedrock.signing import signed

__all__ = ["BedrockEmbeddings", "BedrockFormat", "signed"]
