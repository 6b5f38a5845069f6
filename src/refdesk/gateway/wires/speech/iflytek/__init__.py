"""iFlytek's speech over WebSockets: dictation (`/v2/iat`) and online synthesis (`/v2/tts`).

Sources: https://www.xfyun.cn/doc/asr/voicedictation/API.html, https://www.xfyun.cn/doc/tts/online_tts/API.html
"""

from refdesk.gateway.wires.speech.iflytek.dictation import dictated
from refdesk.gateway.wires.speech.iflytek.synthesis import spoken

__all__ = ["dictated", "spoken"]
