import { expect, it } from 'vitest';
import { asWav, wavOf } from './wav';

it('writes a file of one channel that says its length and rate', () => {
  const view = new DataView(wavOf([new Float32Array([0, 1, -1, 2]), new Float32Array([0, 1, -1, 2])]));
  const word = (at: number) => String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
  expect([word(0), word(8), word(12), word(36)]).toEqual(['RIFF', 'WAVE', 'fmt ', 'data']);
  expect([view.getUint32(4, true), view.getUint32(40, true)]).toEqual([44, 8]);
  expect([view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)]).toEqual([
    1, 16_000, 16,
  ]);
  expect([0, 1, 2, 3].map((at) => view.getInt16(44 + 2 * at, true))).toEqual([0, 32_767, -32_767, 32_767]);
});

it('mixes the channels', () => {
  const view = new DataView(wavOf([new Float32Array([1]), new Float32Array([0])]));
  expect(view.getInt16(44, true)).toBe(16_384);
});

it('leaves a recording that cannot be read as it is', async () => {
  const recorded = new Blob(['no sound'], { type: 'audio/webm' });
  expect(await asWav(recorded)).toBe(recorded);
});
