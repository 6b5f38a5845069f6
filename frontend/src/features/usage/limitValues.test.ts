import { expect, test } from 'vitest';
import { bodyOf, valuesOf } from './limitValues';

test('a new limit is one of requests in a minute', () => {
  const body = bodyOf({ ...valuesOf(null), name: ' Interns ', amount: 5, per: ['model', 'user'] });
  expect(body).toMatchObject({
    name: 'Interns',
    amount: 5,
    measure: 'requests',
    currency: null,
    window_kind: 'seconds',
    window_s: 60,
    per: ['user', 'model'],
  });
});

test('a window of its own length comes back as it was sent', () => {
  const sent = bodyOf({ ...valuesOf(null), name: 'x', amount: 1, window: 'other', seconds: 90 });
  expect(sent).toMatchObject({ window_kind: 'seconds', window_s: 90 });
});

test('money has a currency and days have no seconds', () => {
  const sent = bodyOf({ ...valuesOf(null), measure: 'money', currency: 'cny', window: 'month', amount: 0.5 });
  expect(sent).toMatchObject({ currency: 'CNY', window_kind: 'month', window_s: null, amount: 0.5 });
});
