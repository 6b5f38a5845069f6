"""What a refused person reads."""

from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from refdesk.gateway.limits.rules import Rule
from refdesk.kit.wording import counted

_UNITS = {1: "second", 60: "minute", 3600: "hour", 86400: "24 hours"}


def refusal(rule: Rule, amount: Decimal, opens_at: datetime, retry_after_s: int) -> str:
    """One sentence for what is used up, one for when it opens again, in the workspace's time zone."""
    local = opens_at.astimezone(ZoneInfo(rule.time_zone))
    soon = retry_after_s < 3600
    when = f"in {_duration(retry_after_s)}" if soon else f"on {local:%Y-%m-%d at %H:%M} ({rule.time_zone})"
    return f"The limit “{rule.name}” allows {_allowance(rule, amount)}. It opens again {when}."


def _allowance(rule: Rule, amount: Decimal) -> str:
    if rule.measure == "money":
        what = f"{amount.normalize():f} {rule.currency}"
    else:
        what = counted(int(amount), rule.measure.rstrip("s"))
    if rule.window_kind == "seconds":
        seconds = rule.window_s or 1
        return f"{what} per {_UNITS.get(seconds) or _duration(seconds)}"
    return f"{what} per {rule.window_kind}"


def _duration(seconds: int) -> str:
    return counted(seconds, "second") if seconds < 120 else counted(-(-seconds // 60), "minute")
