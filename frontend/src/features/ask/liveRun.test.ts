import { describe, expect, it } from 'vitest';
import type { RunOut } from '../../api/generated/types.gen';
import { applyEvent, groupTurns } from './liveRun';

const run = (over: Partial<RunOut> = {}): RunOut => ({
  id: 'r1',
  conversation_id: 'c1',
  question: 'q',
  answer: '',
  state: 'queued',
  created_at: '2026-11-30T00:00:00Z',
  ...over,
});
const event = (name: string, data: unknown) => ({ id: null, name, data });

describe('applyEvent', () => {
  it('appends deltas in order', () => {
    const after = ['The ', 'answer', '.'].reduce(
      (state, text) => applyEvent(state, event('delta', { text })),
      run(),
    );
    expect(after.answer).toBe('The answer.');
  });

  it('tells the place in line until something is done, and which tools are asked', () => {
    let state = applyEvent(run(), event('queue', { position: 3 }));
    expect(state.queue).toBe(3);
    state = applyEvent(state, event('stage', { name: 'retrieve', state: 'started', detail: {} }));
    expect(state.queue).toBeNull();
    state = applyEvent(state, event('tool.call', { id: 'a', tool: 'order_query', title: 'Orders' }));
    state = applyEvent(state, event('tool.call', { id: 'b', tool: 'slow', title: '' }));
    state = applyEvent(state, event('tool.result', { id: 'a', ok: true }));
    expect(state.tools).toEqual([
      { id: 'a', title: 'Orders', state: 'done' },
      { id: 'b', title: 'slow', state: 'running' },
    ]);
  });

  it('replaces a started stage when it finishes and keeps a second stage of the same name apart', () => {
    let state = applyEvent(run(), event('stage', { name: 'retrieve', state: 'started', detail: {} }));
    state = applyEvent(state, event('stage', { name: 'retrieve', state: 'finished', detail: { kept: 5 } }));
    state = applyEvent(state, event('stage', { name: 'retrieve', state: 'started', detail: {} }));
    expect(state.stages?.map((stage) => stage.state)).toEqual(['finished', 'started']);
  });

  it('keeps one citation a number', () => {
    const citation = { n: 1, paragraph_id: 'p', document: 'd' };
    const once = applyEvent(run(), event('citation', citation));
    expect(applyEvent(once, event('citation', citation)).citations).toHaveLength(1);
  });

  it('takes the saved record when the run has finished', () => {
    const saved = run({ answer: 'saved', state: 'finished' });
    expect(applyEvent(run({ answer: 'sa' }), event('run.finished', { state: 'finished', run: saved }))).toBe(
      saved,
    );
  });

  it('starts again from a snapshot when the log was too old', () => {
    const after = applyEvent(
      run({ answer: 'old' }),
      event('snapshot', { answer: 'whole', state: 'running' }),
    );
    expect([after.answer, after.state]).toEqual(['whole', 'running']);
  });
});

describe('groupTurns', () => {
  it('puts retries of retries with their question', () => {
    const turns = groupTurns([
      run({ id: 'a' }),
      run({ id: 'b' }),
      run({ id: 'a2', retry_of: 'a' }),
      run({ id: 'a3', retry_of: 'a2' }),
    ]);
    expect(turns.map((turn) => turn.runs.map((one) => one.id))).toEqual([['a', 'a2', 'a3'], ['b']]);
  });

  it('shows a retry whose original is gone as a question of its own', () => {
    expect(groupTurns([run({ id: 'x', retry_of: 'gone' })])).toHaveLength(1);
  });
});
