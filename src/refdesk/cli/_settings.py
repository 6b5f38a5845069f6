"""Settings of a command: the environment's, with what the command line overrides."""

import os
from pathlib import Path

from pydantic import ValidationError

from refdesk.kit.errors import Invalid
from refdesk.kit.settings import Settings, get_settings


class SettingsInvalid(Invalid):
    """An environment variable or option holds a value that is not allowed."""

    code = "settings-invalid"
    message = "A setting is not valid."
    hint = "docs/reference/settings.md lists all settings."


def load_settings(
    *, data_dir: Path | None = None, host: str | None = None, port: int | None = None
) -> Settings:
    """The settings of this process. What is given here goes into the environment, for child processes too."""
    given = {"DATA_DIR": data_dir and data_dir.expanduser().absolute(), "HOST": host, "PORT": port}
    for name, value in given.items():
        if value is not None:
            os.environ[f"REFDESK_{name}"] = str(value)
    get_settings.cache_clear()
    try:
        return get_settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "REFDESK_" + "_".join(str(part) for part in first["loc"]).upper().removeprefix("REFDESK_")
        raise SettingsInvalid(f"{name} is not valid: {first['msg']}.") from error
