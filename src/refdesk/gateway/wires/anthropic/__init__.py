"""Anthropic's Messages wire."""

from refdesk.gateway.wires.anthropic.request import AnthropicFormat

__all__ = ["AnthropicFormat"]
