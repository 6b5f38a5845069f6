import { describe, expect, it } from 'vitest';
import { draftsOf, linesOf, pairsOf } from './lines';

describe('pairs, one a line', () => {
  it('keeps what follows the first mark as it is', () => {
    const text = 'Authorization: Bearer TOKEN\n\n X-Time: 12:30 ';
    expect(pairsOf(text, ':')).toEqual({
      pairs: { Authorization: 'Bearer TOKEN', 'X-Time': '12:30' },
      fault: null,
    });
    expect(linesOf({ A: '1', B: 'x=y' }, '=')).toBe('A=1\nB=x=y');
  });

  it('tells the line that is none', () => {
    expect(pairsOf('A=1\nnothing', '=').fault).toBe(2);
  });
});

describe('variables', () => {
  it('sends no value for a secret that was not typed again, and none for what is personal', () => {
    const rows = [
      { name: 'KEY', value: '', kind: 'secret' as const, kept: 'abc******xyz' },
      { name: 'REGION', value: 'eu', kind: 'plain' as const, kept: null },
      { name: 'OWN', value: 'x', kind: 'personal' as const, kept: null },
      { name: ' ', value: 'x', kind: 'plain' as const, kept: null },
    ];
    expect(draftsOf(rows)).toEqual([
      { name: 'KEY', is_secret: true, is_per_user: false, value: null },
      { name: 'REGION', is_secret: false, is_per_user: false, value: 'eu' },
      { name: 'OWN', is_secret: true, is_per_user: true, value: null },
    ]);
  });
});
