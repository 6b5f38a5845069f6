import { describe, expect, it } from 'vitest';
import { argumentsOf, parametersOf } from './parameters';

const schema = {
  type: 'object',
  properties: {
    days: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, description: 'How many' },
    kind: { enum: ['order', 'return'], default: 'order' },
    number: { type: 'string' },
    deep: { type: 'object' },
    sure: { type: 'boolean' },
  },
  required: ['number'],
};

describe('parameters of a tool', () => {
  it('puts what is required first and sees through null', () => {
    const found = parametersOf(schema);
    expect(found.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['number', 'text', true],
      ['days', 'number', false],
      ['kind', 'choice', false],
      ['deep', 'json', false],
      ['sure', 'boolean', false],
    ]);
    expect(found[2]?.initial).toBe('order');
    expect(parametersOf(undefined)).toEqual([]);
  });

  it('reads what was typed and names the field it cannot read', () => {
    const found = parametersOf(schema);
    expect(argumentsOf(found, { number: '007', days: '14', deep: '{"a":1}', sure: 'false' })).toEqual({
      ok: true,
      value: { number: '007', days: 14, deep: { a: 1 }, sure: false },
    });
    expect(argumentsOf(found, { days: 'many' })).toEqual({ ok: false, name: 'days' });
    expect(argumentsOf(found, { deep: '{' })).toEqual({ ok: false, name: 'deep' });
  });
});
