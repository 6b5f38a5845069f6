import { expect, test } from 'vitest';
import { boundsOf, stepOf } from './ranges';

test('a range ends at the next full minute and is as many days long', () => {
  const now = Date.UTC(2026, 10, 30, 12, 0, 30);
  const { since, until } = boundsOf('7', now);
  expect(until).toBe('2026-11-30T12:01:00.000Z');
  expect(since).toBe('2026-11-23T12:01:00.000Z');
  expect(boundsOf('7', now + 20_000)).toEqual({ since, until });
});

test('one day is shown by hours, more by days', () => {
  expect(stepOf('1')).toBe('hour');
  expect(stepOf('30')).toBe('day');
});
