/** Recordings as WAV (16 kHz, 16 bit, one channel): the one form that every model of speech takes. */

const RATE = 16_000;
const HEAD_BYTES = 44;
/** Longer ones stay as they were recorded: WAV is ten times as large. */
const MAX_SECONDS = 300;

/** The recording as WAV; as it is where this browser cannot read it or it is long. */
export async function asWav(recorded: Blob): Promise<Blob> {
  try {
    // A context that renders nothing decodes at the rate it was made with.
    const decoded = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await recorded.arrayBuffer());
    if (decoded.duration > MAX_SECONDS) return recorded;
    const channels = Array.from({ length: decoded.numberOfChannels }, (_, at) => decoded.getChannelData(at));
    return new Blob([wavOf(channels)], { type: 'audio/wav' });
  } catch {
    return recorded;
  }
}

/** Samples between -1 and 1 of one or more channels as a file of one. */
export function wavOf(channels: Float32Array[]): ArrayBuffer {
  const length = channels[0]?.length ?? 0;
  const file = new ArrayBuffer(HEAD_BYTES + length * 2);
  const view = new DataView(file);
  const word = (at: number, text: string) => {
    for (let i = 0; i < text.length; i += 1) view.setUint8(at + i, text.charCodeAt(i));
  };
  word(0, 'RIFF');
  view.setUint32(4, file.byteLength - 8, true);
  word(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, 'data');
  view.setUint32(40, length * 2, true);
  for (let at = 0; at < length; at += 1) {
    const sample = channels.reduce((sum, one) => sum + (one[at] ?? 0), 0) / channels.length;
    view.setInt16(HEAD_BYTES + at * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), true);
  }
  return file;
}
