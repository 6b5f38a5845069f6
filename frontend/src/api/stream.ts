/** A POST that is answered by server-sent events: for runs that last as long as their connection. */
import { callHeaders } from './credentials';
import { EventParser, type ServerEvent } from './events';
import { ProblemError } from './problem';

/** Sends `body` and hands on each event; ends with the stream. An event `problem` becomes an error. */
export async function postForEvents(
  url: string,
  body: unknown,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: { ...callHeaders(), 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) {
    throw new ProblemError(response.status, await response.json().catch(() => null));
  }
  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    for (const event of parser.push(part.value)) {
      if (event.name === 'problem') throw new ProblemError(200, event.data);
      onEvent(event);
    }
  }
}
