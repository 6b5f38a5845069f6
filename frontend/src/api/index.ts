/** The only way to the server: the generated client with our headers and errors, events and uploads beside it. */
import { callHeaders } from './credentials';
import { client } from './generated/client.gen';
import { ProblemError } from './problem';

client.setConfig({ baseUrl: '', throwOnError: true });
client.interceptors.request.use((request) => {
  for (const [name, value] of Object.entries(callHeaders())) request.headers.set(name, value);
  // What waits to be deleted goes out when the page is left, and has to arrive all the same.
  return request.method === 'DELETE' ? new Request(request, { keepalive: true }) : request;
});
client.interceptors.error.use((error, response) => new ProblemError(response?.status ?? 0, error));

export { asProblem, ProblemError } from './problem';
