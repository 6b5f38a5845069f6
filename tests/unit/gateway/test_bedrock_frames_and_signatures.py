"""Amazon's signatures against its own library's, and its binary frames cut and broken anywhere."""

import struct
import zlib
from datetime import UTC, datetime
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.gateway import ModelBadResponse, ModelInterrupted
from refdesk.gateway.wires.bedrock.frames import event_frames
from refdesk.gateway.wires.bedrock.signing import Credentials, signature
from refdesk.testing.scripted_wires.bedrock import event, frame

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
HOST = "https://bedrock-runtime.eu-central-1.amazonaws.com"
STREAM = f"{HOST}/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse-stream"
ODD = f"{HOST}/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Ax%2Fy/converse?a=b%20c&A=1"


@pytest.mark.parametrize(
    ("url", "token", "expected"),
    [  # as botocore 1.44.8 signs `{"x": 1}`
        (STREAM, None, "fb24dd01f981197d2ec868173de370592bc65a02e2e95b68dae04db7ca8ca18b"),
        (ODD, None, "6b1ffbbb8654d56b15cfe01aa0dfe5aacc8a87b564425dd8fa1abda4072628f7"),
        (
            STREAM.replace("amazonaws.com", "AMAZONAWS.com:443"),
            None,
            "fb24dd01f981197d2ec868173de370592bc65a02e2e95b68dae04db7ca8ca18b",
        ),
        (STREAM, "TOKEN/with+signs==", "798ad2ae55930da9a4f8203b9ee942dc0e320b1faf92e17ab92d632c452854d3"),
        (ODD, "TOKEN/with+signs==", "c7f72f34cd441a3f5ccde96fa62405fe868484addfc50650b96a47c5fc9589cf"),
    ],
)
def test_a_request_is_signed_as_the_vendors_own_library_signs_it(url, token, expected):
    credentials = Credentials("AKIAIOSFODNN7EXAMPLE", SECRET, token)
    headers = signature(credentials, "bedrock", "POST", url, b'{"x": 1}', AT)
    assert headers["authorization"].endswith(f"Signature={expected}")
    assert headers["x-amz-date"] == "20260301T120000Z"
    assert headers.get("x-amz-security-token") == token


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("AKIAIOSFODNN7EXAMPLE:secret/+", ("AKIAIOSFODNN7EXAMPLE", "secret/+", None)),
        ("ASIAIOSFODNN7EXAMPLE:secret:to:ken", ("ASIAIOSFODNN7EXAMPLE", "secret", "to:ken")),
        ("ABSKQmVkcm9ja0FQSUtleQ==", None),
    ],
)
def test_keys_to_sign_with_are_told_from_keys_to_send(key, expected):
    found = Credentials.parse(key)
    assert (found and (found.access_key, found.secret, found.session_token)) == expected
    assert "secret" not in repr(found)


def response(*parts: bytes) -> httpx.Response:
    async def body():
        for part in parts:
            yield part

    return httpx.Response(200, content=body())


async def read(*parts: bytes) -> list[bytes]:
    return [one async for one in event_frames(response(*parts))]


BEGINNING = event("messageStart", {"role": "assistant"})
FRAMES = BEGINNING + event("contentBlockDelta", {"delta": {"text": "你好"}})
EXPECTED = [
    b'{"messageStart":{"role":"assistant"}}',
    '{"contentBlockDelta":{"delta":{"text":"你好"}}}'.encode(),
]


@given(st.lists(st.integers(0, len(FRAMES)), max_size=6))
async def test_frames_are_read_from_any_cuts(cuts):
    edges = [0, *sorted(cuts), len(FRAMES)]
    parts = [FRAMES[start:end] for start, end in pairwise(edges)]
    assert await read(*parts) == EXPECTED


@given(st.integers(1, len(FRAMES) - 1))
async def test_half_a_frame_at_the_end_is_an_interruption(size):
    if size == len(BEGINNING):
        assert await read(FRAMES[:size]) == EXPECTED[:1]
        return
    with pytest.raises(ModelInterrupted):
        await read(FRAMES[:size])


@given(st.integers(0, len(FRAMES) - 1), st.integers(1, 255))
async def test_a_wrong_bit_is_found_by_the_checksums(place, change):
    broken = bytearray(FRAMES)
    broken[place] ^= change
    with pytest.raises((ModelBadResponse, ModelInterrupted)):
        await read(bytes(broken))


async def test_headers_of_other_types_are_passed_over():
    head = b"\x04flag\x00" + b"\x03num\x04\x00\x00\x00\x07" + b"\x03raw\x06\x00\x02ab"
    plain = frame({":message-type": "event", ":event-type": "messageStop"}, b'{"stopReason":"end_turn"}')
    assert await read(_with_headers(head, plain)) == [b'{"messageStop":{"stopReason":"end_turn"}}']


def _with_headers(extra: bytes, plain: bytes) -> bytes:
    headers_size = int.from_bytes(plain[4:8])
    inner = extra + plain[12:-4]
    prelude = struct.pack(">II", 16 + len(inner), headers_size + len(extra))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + inner
    return body + struct.pack(">I", zlib.crc32(body))
