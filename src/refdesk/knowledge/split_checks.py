"""The door for split settings: whatever a person sends is checked here before it is kept or used.

A pattern that is catastrophic on some other text would otherwise be saved, and fail each document it meets.
Settings that are kept already are not checked again: splitting has a budget of time of its own.
"""

from collections.abc import Sequence

from refdesk.knowledge.reading import check_patterns_in_subprocess
from refdesk.knowledge.schemas import SplitOptions
from refdesk.knowledge.views import split_settings

# Six patterns take at most half a second each; a busy machine takes its time to start the process.
_TIMEOUT_S = 60.0


async def require_usable(options: SplitOptions) -> None:
    """Raises `SettingsInvalid`, `PatternInvalid`, and `PatternTooSlow` for what is catastrophic anywhere."""
    split_settings(options)
    await require_sound_patterns(options.patterns)


async def require_sound_patterns(patterns: Sequence[str]) -> None:
    """The same for patterns alone. They are tried in a process with limits: trying may take much memory."""
    if patterns:
        await check_patterns_in_subprocess(patterns, "", timeout_s=_TIMEOUT_S)
