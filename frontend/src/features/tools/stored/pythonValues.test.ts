import { describe, expect, it } from 'vitest';
import type { StoredToolView } from '../../../api/generated/types.gen';
import { pythonDraftOf, pythonFaultsOf, pythonValuesOf } from './pythonValues';

const tool = {
  id: 't',
  name: 'order_query',
  code: 'def run(): pass',
  parameters: { type: 'object' },
  defaults: {},
  secrets: [
    { name: 'token', shown: 's3c******lue' },
    { name: 'old', shown: '******' },
  ],
  timeout_s: 5,
} as unknown as StoredToolView;

describe('a Python tool', () => {
  it('keeps secrets that were not typed anew and removes those that are gone', () => {
    const values = pythonValuesOf(tool);
    values.secrets = [
      { name: 'token', value: '', kept: 's3c******lue' },
      { name: 'fresh', value: 'x', kept: null },
    ];
    expect(pythonDraftOf(values, tool).secrets).toEqual({ old: null, fresh: 'x' });
  });

  it('names what cannot be sent', () => {
    const values = { ...pythonValuesOf(null), name: 'no blanks', parameters: '[1]', defaults: '{' };
    expect(pythonFaultsOf(values)).toEqual({ name: 'name', parameters: 'object', defaults: 'object' });
  });
});
