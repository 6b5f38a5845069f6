import { expect, test } from 'vitest';
import { isUnknownAddress, ProblemError } from './problem';

const refused = (...fields: string[]) =>
  new ProblemError(422, {
    code: 'invalid',
    details: { fields: fields.map((field) => ({ field, message: 'Input should be a valid UUID' })) },
  });

test('what is not there and an id that is none are unknown addresses', () => {
  expect(isUnknownAddress(new ProblemError(404, { code: 'run-not-found' }))).toBe(true);
  expect(isUnknownAddress(refused('run_id'))).toBe(true);
  expect(isUnknownAddress(refused('application_id', 'intent_id'))).toBe(true);
});

test('anything else may be tried again', () => {
  expect(isUnknownAddress(refused('limit'))).toBe(false);
  expect(isUnknownAddress(refused('run_id', 'limit'))).toBe(false);
  expect(isUnknownAddress(new ProblemError(422, { code: 'meta-invalid', details: {} }))).toBe(false);
  expect(isUnknownAddress(new ProblemError(503, { code: 'unavailable' }))).toBe(false);
  expect(isUnknownAddress(new TypeError('fetch failed'))).toBe(false);
  expect(isUnknownAddress(null)).toBe(false);
});
