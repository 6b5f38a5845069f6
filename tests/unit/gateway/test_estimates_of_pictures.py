from refdesk.gateway import CompletionRequest, ImagePart, Message, TextPart
from refdesk.gateway.limits import estimate

PICTURE = ImagePart.of_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4000)


def test_a_picture_counts_as_about_what_vendors_count_whatever_its_bytes():
    plain = estimate(CompletionRequest([Message("user", "What is this?")])).input_tokens
    seen = estimate(CompletionRequest([Message("user", (TextPart("What is this?"), PICTURE))])).input_tokens
    assert 85 <= seen - plain <= 1600


def test_the_bytes_of_a_picture_are_in_no_representation():
    assert len(repr(Message("user", (PICTURE,)))) < 300
