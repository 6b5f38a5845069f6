/**
 * Server-sent events over `fetch`: unlike `EventSource` it carries our headers and reports the status.
 * After a broken connection it resumes behind the last event it saw (`Last-Event-ID`).
 */
import { callHeaders } from './credentials';
import { ProblemError } from './problem';

export interface ServerEvent {
  id: string | null;
  name: string;
  data: unknown;
}

/** Splits a stream of text into events; comments (heartbeats) and half lines are handled. */
export class EventParser {
  private rest = '';
  private id: string | null = null;
  private name = '';
  private data: string[] = [];

  push(chunk: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.data.length > 0) events.push(this.take());
        this.name = '';
        continue;
      }
      if (line.startsWith(':')) continue;
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'id') this.id = value;
      else if (field === 'event') this.name = value;
      else if (field === 'data') this.data.push(value);
    }
    return events;
  }

  private take(): ServerEvent {
    const text = this.data.join('\n');
    this.data = [];
    return { id: this.id, name: this.name || 'message', data: JSON.parse(text) };
  }
}

interface Follow {
  url: string;
  signal: AbortSignal;
  onEvent: (event: ServerEvent) => void;
  /** The event after which the stream is complete and no new connection is made. */
  isLast?: (event: ServerEvent) => boolean;
  onConnection?: (state: 'open' | 'lost') => void;
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Follows a stream until its last event or the signal; reconnects with a growing pause of at most 5 s. */
export async function follow({ url, signal, onEvent, isLast, onConnection }: Follow): Promise<void> {
  let lastId: string | null = null;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response: Response = await fetch(url, {
        signal,
        headers: {
          ...callHeaders(),
          Accept: 'text/event-stream',
          ...(lastId ? { 'Last-Event-ID': lastId } : {}),
        },
      });
      if (response.status === 204) return;
      if (!response.ok || !response.body) {
        const problem = new ProblemError(response.status, await response.json().catch(() => null));
        if (response.status < 500 && response.status !== 429) throw problem;
        failures += 1;
      } else {
        onConnection?.('open');
        const parser = new EventParser();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          failures = 0;
          for (const event of parser.push(part.value)) {
            if (event.id) lastId = event.id;
            onEvent(event);
            if (isLast?.(event)) {
              await reader.cancel();
              return;
            }
          }
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ProblemError) throw error;
      failures += 1;
    }
    onConnection?.('lost');
    await pause(Math.min(5000, 300 * 2 ** failures), signal);
  }
}
