"""Sorting vendors' refusals: words before statuses, whatever their form."""

import time

import pytest

from refdesk.gateway import (
    ModelAuthentication,
    ModelContextExceeded,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from refdesk.gateway.wires.refusals import body_error, error_class, message_of, plain_words, retry_after_s


@pytest.mark.parametrize(
    ("status", "words", "error"),
    [
        # the same status, other words
        (429, "Rate limit reached for requests", ModelRateLimited),
        (429, "insufficient_quota: You exceeded your current quota", ModelQuota),
        (429, "You exceeded your current quota. Please retry in 34.07s.", ModelRateLimited),
        (429, "Requests to this deployment exceeded; please try again in 20s", ModelRateLimited),
        (400, "Arrearage: Access denied, please make sure your account is in good standing", ModelQuota),
        (400, "API key not valid. Please pass a valid API key.", ModelAuthentication),
        (400, "Range of input length should be [1, 98304]", ModelContextExceeded),
        (
            400,
            "the request exceeds the available context size; exceed_context_size_error",
            ModelContextExceeded,
        ),
        (400, "上下文长度超出限制", ModelContextExceeded),
        (400, "Model Not Exist; model_not_exist", ModelNotThere),
        (400, "top_p must be below 1", ModelRefused),
        (403, "余额不足，请充值", ModelQuota),
        # a server that is down does not mean the key or the length
        (500, "maximum context length: cannot compute", ModelUnavailable),
        (503, "invalid api key cache is down", ModelUnavailable),
        (401, "no", ModelAuthentication),
        (402, "no", ModelQuota),
        (404, "no", ModelNotThere),
        (408, "no", ModelTimeout),
        (504, "no", ModelTimeout),
        (409, "no", ModelRefused),
        (520, "no", ModelUnavailable),
        # within an answer of status 200
        (None, "throttlingException: slow down", ModelRateLimited),
        (None, "overloaded_error", ModelUnavailable),
        (None, "something else", ModelUnavailable),
    ],
)
def test_words_say_more_than_statuses(status, words, error):
    assert error_class(words, status) is error


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "no", "code": "c"}}, "c: no"),
        ({"error": {"message": "no", "type": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ([{"error": {"code": 400, "message": "no", "status": "BAD"}}], "400: BAD: no"),
        ({"detail": [{"loc": ["body"], "msg": "no"}]}, '[{"loc":["body"],"msg":"no"}]'),
        ({"message": {"detail": [{"msg": "no"}]}}, '{"detail":[{"msg":"no"}]}'),
        ({"__type": "ThrottlingException", "message": "no"}, "ThrottlingException: no"),
        ({"base_resp": {"status_code": 1008, "status_msg": "no"}}, "1008: no"),
        ({"error_code": 17, "error_msg": "no"}, "17: no"),
        ({"code": 20012, "message": "no"}, "20012: no"),
        ("no", "no"),
        ({"odd": 1}, None),
        ([], None),
        (7, None),
    ],
)
def test_the_vendors_words_are_found_in_every_shape(body, words):
    assert message_of(body) == words


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{}], "error": None},
        {"choices": [{}], "base_resp": {"status_code": 0, "status_msg": ""}},
        {"code": 0, "message": "Success", "choices": [{}]},
        {"code": 200, "message": "ok", "data": [1]},
        {"code": 200, "message": "ok", "results": [1]},
        {"error_code": 0},
        {"id": "x"},
    ],
)
def test_an_answer_is_no_error(body):
    assert body_error(body) is None


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"plain words", "plain words"),
        (
            b"<html><head><title>502 Bad Gateway</title></head><body>x</body></html>",
            "a web page: 502 Bad Gateway",
        ),
        (
            b"<!DOCTYPE html>\n<html><style>a{}</style><h1>Sign&nbsp;in</h1> now</html>",
            "a web page: Sign in now",
        ),
        (b"<center><h1>503</h1></center>", "a web page: 503"),
        (b"<3 you", "<3 you"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
    ],
)
def test_a_page_is_told_by_its_words(raw, words):
    assert plain_words(raw) == words


@pytest.mark.parametrize("part", [b"<", b"<script ", b"<html><title", b"<!--"])
def test_a_hostile_page_costs_little(part):
    began = time.process_time()
    plain_words(b"<html>" + part * (64_000 // len(part)))
    assert time.process_time() - began < 1.0


def test_a_wait_is_bounded_and_never_negative():
    assert retry_after_s({"retry-after": "1e300"}, None) == 86400
    assert retry_after_s({"retry-after": "-5"}, None) == 0
    assert retry_after_s({"retry-after": "inf"}, None) == 86400
    assert retry_after_s({"retry-after": "nan"}, None) is None
    assert retry_after_s({}, "Please try again in 1.2.3s") is None
