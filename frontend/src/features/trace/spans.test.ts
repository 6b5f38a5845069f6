import { expect, test } from 'vitest';
import type { RunOut, TraceOut, TraceSpan } from '../../api/generated/types.gen';
import { differences, lengthOf, rowsOf, sourcesOf } from './spans';

const span = (name: string, started_ms: number, elapsed_ms: number, spans: TraceSpan[] = []): TraceSpan => ({
  name,
  kind: 'stage',
  state: 'finished',
  started_ms,
  elapsed_ms,
  spans,
});

test('parts follow their stage and know it', () => {
  const stages = [span('memory', 0, 5), span('retrieve', 5, 90, [span('tool:order', 6, 80)])];
  expect(rowsOf(stages).map(({ key, depth, stage }) => [key, depth, stage])).toEqual([
    ['0', 0, 0],
    ['1', 0, 1],
    ['1.0', 1, 1],
  ]);
  expect(lengthOf({ stages, total_ms: null } as TraceOut)).toBe(95);
  expect(lengthOf({ stages: [] as TraceSpan[], total_ms: 0 } as TraceOut)).toBe(1);
});

test('settings that differ are told by their path', () => {
  const before = { top_n: 5, stages: { memory: { on: true }, rewrite: { on: true } }, system_prompt: '' };
  const after = {
    top_n: 5,
    stages: { memory: { on: false }, rewrite: { on: true } },
    system_prompt: 'Short.',
  };
  expect(differences(before, after)).toEqual([
    { name: 'stages.memory.on', before: 'true', after: 'false' },
    { name: 'system_prompt', before: '—', after: 'Short.' },
  ]);
  expect(differences(null, after)).toEqual([]);
});

test('sources of both answers come first, then the new ones', () => {
  const run = (...ids: string[]) =>
    ({ retrieval: { hits: ids.map((id) => ({ paragraph_id: id, document: id, section: '' })) } }) as RunOut;
  expect(sourcesOf(run('a', 'b'), run('b', 'c')).map(({ key, side }) => [key, side])).toEqual([
    ['b', 'both'],
    ['c', 'after'],
    ['a', 'before'],
  ]);
});
