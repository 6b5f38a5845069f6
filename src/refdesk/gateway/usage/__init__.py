"""What calls of models used and cost.

Owns the record of calls, prices and the figures made of them. Recording never makes a call wait.
"""

from refdesk.gateway.usage.log import UsageLog
from refdesk.gateway.usage.pricing import Money, PriceBook, load_prices
from refdesk.gateway.usage.records import CallRecord, FailedAttempt
from refdesk.gateway.usage.tables import UsageSettings

__all__ = [
    "CallRecord",
    "FailedAttempt",
    "Money",
    "PriceBook",
    "UsageLog",
    "UsageSettings",
    "load_prices",
]
