"""A small shop that lives in memory: orders, returns, where parcels are. Knows nothing of any protocol.

Dates are counted back from today, so that "last week" is always last week.
"""

import json
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

Language = Literal["zh", "en"]
_DATA = Path(__file__).with_name("orders.json")
# Somebody the shop does not know asks as this customer: the example is there to be tried.
GUEST = "li-wei"


class NotTheirs(Exception):
    """No such number, or somebody else's: the answer is the same."""


@dataclass
class Shop:
    """The state of the shop; each process has its own."""

    data: dict[str, Any] = field(default_factory=lambda: json.loads(_DATA.read_text(encoding="utf-8")))

    def customer_of(self, user: str | None) -> str:
        """The customer that a user of the asking system is."""
        known = {customer["id"] for customer in self.data["customers"]}
        return user if user is not None and user in known else GUEST

    def orders(self, customer: str, within_days: int | None, language: Language) -> list[dict[str, Any]]:
        """The customer's orders, the newest first."""
        mine = [order for order in self.data["orders"] if order["customer"] == customer]
        return [self._order(order, language) for order in _recent(mine, within_days)]

    def returns(self, customer: str, within_days: int | None, language: Language) -> list[dict[str, Any]]:
        """The customer's returns, the newest first."""
        numbers = {order["number"] for order in self.data["orders"] if order["customer"] == customer}
        mine = [each for each in self.data["returns"] if each["order"] in numbers]
        return [self._return(each, language) for each in _recent(mine, within_days)]

    def by_number(self, customer: str, number: str, language: Language) -> dict[str, Any]:
        """An order or a return of the customer, by its number. Raises `NotTheirs`."""
        wanted = number.strip().upper()
        for order in self.data["orders"]:
            if order["number"] == wanted and order["customer"] == customer:
                found = self._order(order, language)
                found["returns"] = [
                    self._return(each, language) for each in self.data["returns"] if each["order"] == wanted
                ]
                return found
        for each in self.data["returns"]:
            if each["number"] == wanted and self._owner(each["order"]) == customer:
                return self._return(each, language)
        raise NotTheirs(number)

    def track(self, customer: str, number: str, language: Language) -> list[dict[str, Any]]:
        """Where the parcel of an order has been. Raises `NotTheirs`."""
        order = self._own_order(customer, number)
        return [
            {"date": _day(step["days_ago"]), "event": step[language]}
            for step in self.data["shipments"].get(order["shipment"], [])
        ]

    def request_return(self, customer: str, number: str, reason: str, language: Language) -> dict[str, Any]:
        """Ask for a return of a delivered order. Raises `NotTheirs`, and `ValueError` telling why not."""
        order = self._own_order(customer, number)
        if order["state"] != "delivered":
            raise ValueError(self.data["states"][order["state"]][language])
        made = {
            "number": f"TH-{3100 + len(self.data['returns'])}",
            "order": order["number"],
            "days_ago": 0,
            "state": "requested",
            "reason": {"zh": reason, "en": reason},
        }
        self.data["returns"].append(made)
        return self._return(made, language)

    def _own_order(self, customer: str, number: str) -> dict[str, Any]:
        for order in self.data["orders"]:
            if order["number"] == number.strip().upper() and order["customer"] == customer:
                return order
        raise NotTheirs(number)

    def _owner(self, order_number: str) -> str | None:
        return next((o["customer"] for o in self.data["orders"] if o["number"] == order_number), None)

    def _order(self, order: dict[str, Any], language: Language) -> dict[str, Any]:
        product = self.data["products"][order["product"]]
        return {
            "kind": "order",
            "number": order["number"],
            "product": product[language],
            "price": product["price"],
            "ordered_on": _day(order["days_ago"]),
            "state": self.data["states"][order["state"]][language],
            "shipment": order["shipment"],
        }

    def _return(self, each: dict[str, Any], language: Language) -> dict[str, Any]:
        order = next(order for order in self.data["orders"] if order["number"] == each["order"])
        return {
            "kind": "return",
            "number": each["number"],
            "order": each["order"],
            "product": self.data["products"][order["product"]][language],
            "requested_on": _day(each["days_ago"]),
            "state": self.data["states"][each["state"]][language],
            "reason": each["reason"][language],
        }


def _recent(entries: list[dict[str, Any]], within_days: int | None) -> list[dict[str, Any]]:
    chosen = [each for each in entries if within_days is None or each["days_ago"] <= within_days]
    return sorted(chosen, key=lambda each: each["days_ago"])


def _day(days_ago: int) -> str:
    return (date.today() - timedelta(days=days_ago)).isoformat()
