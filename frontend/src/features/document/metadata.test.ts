import { describe, expect, it } from 'vitest';
import { asDay, asText, ownMeta, typed, withValue } from './metadata';

describe('metadata', () => {
  it('holds as people’s own only what the file does not say', () => {
    const own = ownMeta({
      meta: { title: 'Mine', author: 'Ada', department: ['A'], pages: 3 },
      found_meta: { title: 'Of the file', author: 'Ada', pages: 3 },
    });
    expect(own).toEqual({ title: 'Mine', department: ['A'] });
  });

  it('shows lists and objects as text', () => {
    expect(asText(['A', 'B'])).toBe('A, B');
    expect(asText({ a: 1 })).toBe('{"a":1}');
    expect(asText(null)).toBe('');
    expect(asText(false)).toBe('false');
  });

  it('takes the day of a time, and nothing from what is no date', () => {
    expect(asDay('2026-03-01T10:00:00Z')).toBe('2026-03-01');
    expect(asDay('March')).toBe('');
    expect(asDay(5)).toBe('');
  });

  it('keeps the kind of a value that is edited', () => {
    expect(typed('4', 3)).toBe(4);
    expect(typed('four', 3)).toBe('four');
    expect(typed('false', true)).toBe(false);
    expect(typed(' Ada ', 'x')).toBe('Ada');
  });

  it('says nothing where a field was emptied, and hides what the file says', () => {
    expect(withValue({ a: 1, b: 2 }, 'a', '', {})).toEqual({ b: 2 });
    expect(withValue({}, 'title', '', { title: 'Of the file' })).toEqual({ title: null });
    expect(withValue({}, 'department', [], {})).toEqual({});
    expect(withValue({}, 'title', 'Mine', { title: 'Of the file' })).toEqual({ title: 'Mine' });
  });
});
