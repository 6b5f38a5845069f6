import { describe, expect, it } from 'vitest';
import { codePointOffset, codePointsBefore } from './codePointOffset';

describe('codePointOffset', () => {
  it('counts an astral character as one', () => {
    const text = '𠮷野家😀 opens';
    expect(text.slice(codePointOffset(text, 4))).toBe(' opens');
    expect(text.slice(0, codePointOffset(text, 1))).toBe('𠮷');
  });

  it('is the same offset in plain text and stays within it', () => {
    expect(codePointOffset('plain', 3)).toBe(3);
    expect(codePointOffset('plain', 99)).toBe(5);
    expect(codePointOffset('plain', 0)).toBe(0);
  });

  it('is undone by codePointsBefore', () => {
    const text = '𠮷野家😀 opens';
    for (let n = 0; n <= 10; n += 1) expect(codePointsBefore(text, codePointOffset(text, n))).toBe(n);
  });
});
