import { describe, expect, it } from 'vitest';
import { countConditions, metaCondition, noFilter, queryOf } from './documentFilter';

describe('documentFilter', () => {
  it('asks for everything where nothing is chosen', () => {
    expect(queryOf(noFilter, '')).toEqual({ limit: 100 });
    expect(countConditions(noFilter)).toBe(0);
  });

  it('asks for what is chosen', () => {
    const filter = { ...noFilter, group: 'failed', attention: true, active: 'no', kind: 'pdf' } as const;
    expect(queryOf({ ...filter, meta: ['department=Sales', 'nonsense'] }, 'lamp')).toEqual({
      limit: 100,
      q: 'lamp',
      state: ['failed', 'cancelled'],
      attention: true,
      active: false,
      kind: ['pdf'],
      'meta.department': 'Sales',
    });
    expect(countConditions({ ...filter, meta: ['department=Sales', 'nonsense'] })).toBe(3);
  });

  it('takes the first sign of equality for the border', () => {
    expect(metaCondition('a = b=c')).toEqual(['a', 'b=c']);
    expect(metaCondition('=b')).toBeNull();
    expect(metaCondition('a=')).toBeNull();
  });
});
