"""The nine kinds of model, by what is asked of them."""

from typing import Literal, get_args

Kind = Literal["LLM", "EMBEDDING", "RERANKER", "STT", "TTS", "IMAGE", "TTI", "TTV", "ITV"]
"""Chat, vectors, reranking, speech to text, text to speech, understanding pictures, text to picture, text to
video, picture to video."""

KINDS: tuple[Kind, ...] = get_args(Kind)

SpeechFormat = Literal["mp3", "wav", "opus", "flac", "pcm"]
"""How sound is written."""
