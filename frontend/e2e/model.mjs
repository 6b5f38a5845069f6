/**
 * A language model that says what the story wants: an OpenAI-compatible server on loopback that streams
 * `script.words` with `script.pauseMs` between them, or answers with `script.status`.
 */
import { createServer } from 'node:http';

/** The smallest real files, so that the browser shows them: a tone of nothing, a red point. */
const silence = Buffer.concat([
  Buffer.from('RIFF'),
  Buffer.from(Uint32Array.of(36 + 1600).buffer),
  Buffer.from('WAVEfmt '),
  Buffer.from(Uint32Array.of(16).buffer),
  Buffer.from(Uint16Array.of(1, 1).buffer),
  Buffer.from(Uint32Array.of(8000, 8000).buffer),
  Buffer.from(Uint16Array.of(1, 8).buffer),
  Buffer.from('data'),
  Buffer.from(Uint32Array.of(1600).buffer),
  Buffer.alloc(1600, 128),
]);
export const redPoint =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Speech, pictures and films of OpenAI's forms; null for what is none of it. A film is ready at the third look. */
function media(request, script) {
  const path = new URL(request.url, 'http://x').pathname;
  const json = (value) => ['application/json', JSON.stringify(value)];
  if (path.endsWith('/audio/transcriptions')) return json({ text: script.words.join('') });
  if (path.endsWith('/audio/speech')) return ['audio/wav', silence];
  if (path.endsWith('/images/generations')) return json({ data: [{ b64_json: redPoint }] });
  if (path.endsWith('/content')) return ['video/mp4', Buffer.alloc(2000)];
  if (!path.includes('/videos')) return null;
  if (request.method === 'POST') return json({ id: 'film-1', status: 'queued' });
  script.looks = (script.looks ?? 0) + 1;
  const status = script.looks > 2 ? 'completed' : 'in_progress';
  return json({ id: 'film-1', status, progress: script.looks * 33 });
}

export async function startModel() {
  const script = { words: ['Hello.'], pauseMs: 0, status: 200, calls: 0 };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const json = (status, value) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.url.endsWith('/models')) return json(200, { data: [{ id: 'lamp-1' }, { id: 'lamp-2' }] });
    if (script.status !== 200) {
      return json(script.status, {
        error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' },
      });
    }
    script.calls += 1;
    const made = media(request, script);
    if (made) {
      response.writeHead(200, { 'Content-Type': made[0] });
      return response.end(made[1]);
    }
    const text = script.words.join('');
    if (!JSON.parse(body || '{}').stream) {
      return json(200, {
        choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      });
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (delta, finish = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    for (const word of script.words) {
      if (response.destroyed) return;
      send({ content: word });
      if (script.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, script.pauseMs));
    }
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    script,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}
