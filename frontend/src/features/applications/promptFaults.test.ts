import { expect, test } from 'vitest';
import { faultsOf } from './promptFaults';

test('a template says where what was found and the question go, and names nothing else', () => {
  expect(faultsOf('knowledge', '')).toEqual([]);
  expect(faultsOf('knowledge', 'As {"a": 1}: {data} {question}')).toEqual([]);
  expect(faultsOf('both', '{data} {user}')).toEqual([
    { code: 'missing', variables: ['question'] },
    { code: 'unknown', variables: ['user'] },
  ]);
  expect(faultsOf('empty', 'Sorry: {question}')).toEqual([]);
  expect(faultsOf('empty', '{data} {question}')).toEqual([{ code: 'unknown', variables: ['data'] }]);
});
