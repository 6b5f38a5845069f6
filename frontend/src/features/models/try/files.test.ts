import { expect, test } from 'vitest';
import { toBase64 } from './files';

test('bytes of any value and number become base64 and back', async () => {
  const bytes = new Uint8Array(100_000).map((_, index) => (index * 7) % 256);
  const text = await toBase64(new Blob([bytes]));
  expect(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))).toEqual(bytes);
  expect(await toBase64(new Blob([]))).toBe('');
});
