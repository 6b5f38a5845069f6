import { describe, expect, it } from 'vitest';
import type { RunOut } from '../../api/generated/types.gen';
import { agentCalls, readable } from './agentCalls';

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

  it('show JSON readably and leave other text alone', () => {
    expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(readable('plain')).toBe('plain');
  });
});
