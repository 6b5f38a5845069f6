"""A GGUF chat model of 27,000 random weights: it says nothing of sense, but it is loaded, asked and streamed
as a real one is. Needs the package `gguf`."""

from pathlib import Path
from typing import Any

import numpy as np

_WIDTH, _HEADS, _INNER, _CONTEXT = 32, 2, 64, 512
_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
_TOKENS = [
    *(b"<unk>", b"<s>", b"</s>"),
    *(f"<0x{value:02X}>".encode() for value in range(256)),
    *(f"▁{word}".encode() for word in ("ready", "yes", "no", "refund", "hello")),
]
# Unknown, control, bytes, words: the kinds of llama.cpp's vocabulary.
_KINDS = [2, 3, 3, *[6] * 256, *[1] * 5]


def write_tiny_gguf(path: Path) -> Path:
    """Write the model; always the same one."""
    import gguf  # pyright: ignore[reportMissingTypeStubs]

    random = np.random.default_rng(7)
    writer: Any = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(_TOKENS))
    writer.add_file_type(0)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(_TOKENS)
    writer.add_token_scores([0.0] * len(_TOKENS))
    writer.add_token_types(_KINDS)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_chat_template(_TEMPLATE)

    def weights(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", (random.standard_normal(shape) * 0.3).astype(np.float32))

    def ones(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(_WIDTH, np.float32))

    weights("token_embd", len(_TOKENS), _WIDTH)
    weights("output", len(_TOKENS), _WIDTH)
    ones("output_norm")
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        weights(f"blk.0.{name}", _WIDTH, _WIDTH)
    weights("blk.0.ffn_gate", _INNER, _WIDTH)
    weights("blk.0.ffn_up", _INNER, _WIDTH)
    weights("blk.0.ffn_down", _WIDTH, _INNER)
    ones("blk.0.attn_norm")
    ones("blk.0.ffn_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
