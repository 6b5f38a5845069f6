"""Speech both ways: recordings to text, and text to sound, in the dialects that vendors have for them."""

from refdesk.gateway.wires.speech.speaking import SPEAKERS, RemoteSpeaker
from refdesk.gateway.wires.speech.transcribing import TRANSCRIBERS, RemoteTranscriber

__all__ = ["SPEAKERS", "TRANSCRIBERS", "RemoteSpeaker", "RemoteTranscriber"]
