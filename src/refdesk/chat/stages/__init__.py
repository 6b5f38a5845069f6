"""The stages of an answer, each one thing with a typed input and output; `chat.pipeline` orders them."""
