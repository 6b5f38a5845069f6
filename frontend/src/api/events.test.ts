import { describe, expect, it } from 'vitest';
import { EventParser } from './events';

describe('EventParser', () => {
  it('reads an event that arrives in pieces', () => {
    const parser = new EventParser();
    expect(parser.push('event: del')).toEqual([]);
    expect(parser.push('ta\nid: 7\nda')).toEqual([]);
    expect(parser.push('ta: {"text":"好"}\n\n')).toEqual([{ id: '7', name: 'delta', data: { text: '好' } }]);
  });

  it('skips heartbeats and joins several data lines', () => {
    const parser = new EventParser();
    expect(parser.push(': ping\n\ndata: [1,\ndata: 2]\n\n')).toEqual([
      { id: null, name: 'message', data: [1, 2] },
    ]);
  });

  it('accepts CRLF line ends, also when cut between them', () => {
    const parser = new EventParser();
    const events = [...parser.push('event: a\r\ndata: 1\r'), ...parser.push('\n\r\n')];
    expect(events.map((event) => [event.name, event.data])).toEqual([['a', 1]]);
  });

  it('keeps the id for later events without one', () => {
    const parser = new EventParser();
    const events = parser.push('id: 3\ndata: 1\n\ndata: 2\n\n');
    expect(events.map((event) => event.id)).toEqual(['3', '3']);
  });
});
