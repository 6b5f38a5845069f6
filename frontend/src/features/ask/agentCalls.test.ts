import { describe, expect, it } from 'vitest';
import type { RunOut } from '../../api/generated/types.gen';
import { agentCalls, valuesIn } from './agentCalls';

const run = {
  stages: [
    { name: 'decide', state: 'finished', detail: { calls: [{ tool: 'search' }] } },
    {
      name: 'tools',
      state: 'finished',
      detail: {
        calls: [{ id: 'a', tool: 's', title: 'Search', arguments: { query: 'x' }, result: '{}', ok: true }],
      },
    },
    { name: 'tools', state: 'started', detail: {} },
  ],
} as unknown as RunOut;

describe('calls of an agent', () => {
  it('come from the rounds that are over, in order', () => {
    expect(agentCalls(run).map((call) => [call.step, call.title, call.ok])).toEqual([[1, 'Search', true]]);
  });

  it('have named values where the result is a JSON object', () => {
    expect(valuesIn('{"a":{"b":1}}')).toEqual({ a: { b: 1 } });
    for (const text of ['plain', '[1]', 'null', '7', '{"a":']) expect(valuesIn(text)).toBeNull();
  });
});
