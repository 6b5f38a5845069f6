"""What can be wrong with prices and with questions about usage."""

from refdesk.kit.errors import Conflict, Invalid, NotFound


class UnknownPrice(NotFound):
    """No price by that id in this workspace."""

    code = "unknown-price"
    message = "There is no such price in this workspace."


class PriceTaken(Conflict):
    """A model has one price a day."""

    code = "price-taken"
    message = "The model has a price from that day on already."
    hint = "Change that price, or let this one begin on another day."


class PriceFileInvalid(Invalid):
    """A file of prices cannot be read; `details.rows` say which lines and why. Nothing was changed."""

    code = "price-file-invalid"
    message = "The file of prices cannot be read, so nothing was changed."
    hint = "Export the present prices to see the columns."


class UsageRangeInvalid(Invalid):
    """The time range ends before it begins, or is longer than what is answered at once."""

    code = "usage-range-invalid"
    message = "The time range is not one that can be answered."
    hint = "Ask for at most 1,100 days, and for hours of at most 8 days."


class TimeZoneUnknown(Invalid):
    """No time zone by that name."""

    code = "time-zone-unknown"
    message = "There is no time zone of that name."
    hint = "Use a name such as Europe/Berlin, Asia/Shanghai or UTC."
