/**
 * A language model that says what the story wants: an OpenAI-compatible server on loopback that streams
 * `script.words` with `script.pauseMs` between them, or answers with `script.status`.
 */
import { createServer } from 'node:http';

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
