import { describe, expect, it } from 'vitest';
import { cleaned, sameSplit } from './splitOptions';

describe('sameSplit', () => {
  it('takes what is left out for the default', () => {
    expect(sameSplit({}, { profile: 'standard', with_filter: true, patterns: [], limit: null })).toBe(true);
  });
  it('does not count patterns nobody has written yet', () => {
    expect(sameSplit({ patterns: ['', '  '] }, {})).toBe(true);
    expect(cleaned({ patterns: ['^a', ' '] }).patterns).toEqual(['^a']);
  });
  it('sees every setting', () => {
    for (const other of [
      { profile: 'compact' as const },
      { limit: 300 },
      { unit: 'tokens' as const },
      { min_size: 0 },
      { patterns: ['^a'] },
      { with_filter: false },
      { overlap: 0 },
      { include_comments: true },
      { include_running: true },
      { sheet_form: 'rows' as const },
    ]) {
      expect(sameSplit({}, other), JSON.stringify(other)).toBe(false);
    }
  });
});
