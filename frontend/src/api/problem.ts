/** What went wrong with a call, as the server's problem documents (RFC 9457) tell it. */

export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;

  constructor(status: number, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const text = (name: string) => (typeof problem[name] === 'string' ? (problem[name] as string) : null);
    super(text('detail') ?? text('title') ?? '');
    this.name = 'ProblemError';
    this.status = status;
    this.code = text('code') ?? (status === 0 ? 'network' : `http-${status}`);
    this.hint = text('hint');
    this.requestId = text('request_id');
    this.details =
      typeof problem.details === 'object' && problem.details !== null
        ? (problem.details as Record<string, unknown>)
        : {};
  }
}

export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  // `fetch` reports a server that cannot be reached as a TypeError; anything else is a fault of the page.
  const code = error instanceof TypeError ? 'network' : 'page-error';
  return new ProblemError(0, { code, detail: error instanceof Error ? error.message : '' });
}

/** Whether what an address names is not there for the reader: no such thing (404), or its id is no id (422). */
export function isUnknownAddress(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  if (error.status === 404) return true;
  const { fields } = error.details;
  return (
    error.status === 422 &&
    Array.isArray(fields) &&
    fields.length > 0 &&
    fields.every((one) => typeof one?.field === 'string' && /(^|_)id$/.test(one.field))
  );
}
