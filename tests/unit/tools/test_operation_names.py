"""Names and titles of an OpenAPI document's operations."""

import re

from refdesk.tools.openapi.operations import Operation, describe


def operations(*given: tuple[str, str, dict[str, str]]) -> list[Operation]:
    paths: dict[str, dict[str, dict[str, str]]] = {}
    for path, method, operation in given:
        paths.setdefault(path, {})[method] = operation
    return list(describe({"openapi": "3.1.0", "info": {}, "paths": paths}).operations)


def test_a_chinese_operation_id_becomes_a_name_from_its_path_and_stays_the_title() -> None:
    found = operations(
        ("/orders", "get", {"operationId": "查询订单"}),
        ("/orders/refunds", "get", {"operationId": "查询退款", "summary": "退款进度"}),
    )
    assert [operation.name[:-9] for operation in found] == ["get_orders", "get_orders_refunds"]
    assert [operation.title for operation in found] == ["查询订单", "退款进度"]
    assert [operation.description for operation in found] == ["查询订单", "退款进度"]


def test_a_latin_operation_id_is_the_name_and_no_title() -> None:
    (found,) = operations(("/orders", "get", {"operationId": "list_orders"}))
    assert (found.name, found.title) == ("list_orders", "")


def test_names_differ_and_fit_every_vendor() -> None:
    found = operations(
        ("/订单", "get", {"operationId": "查询"}),
        ("/退款", "get", {"operationId": "查询"}),
        ("/a", "get", {"operationId": "find order"}),
        ("/b", "get", {"operationId": "find order"}),
        ("/c", "get", {"operationId": "x" * 90}),
        ("/d", "get", {"operationId": "x" * 90}),
    )
    names = [operation.name for operation in found]
    assert len(set(names)) == len(names) == 6
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
