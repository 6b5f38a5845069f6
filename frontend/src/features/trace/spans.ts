/** A trace as rows in order of time, and what of two runs differs. */
import type { RunOut, TraceCall, TraceOut, TraceSpan } from '../../api/generated/types.gen';

export interface Row {
  /** The places of the span and those around it, as `2.0.1`. */
  key: string;
  span: TraceSpan;
  depth: number;
  /** The place of the stage it belongs to. */
  stage: number;
}

export function rowsOf(stages: TraceSpan[]): Row[] {
  const rows: Row[] = [];
  const add = (spans: TraceSpan[], depth: number, before: string, stage: number | null) =>
    spans.forEach((span, index) => {
      const key = `${before}${index}`;
      const place = stage ?? index;
      rows.push({ key, span, depth, stage: place });
      add(span.spans ?? [], depth + 1, `${key}.`, place);
    });
  add(stages, 0, '', null);
  return rows;
}

export const endOf = (span: TraceSpan) => span.started_ms + (span.elapsed_ms ?? 0);

/** The time the waterfall covers, never 0. */
export function lengthOf(trace: TraceOut): number {
  const ends = rowsOf(trace.stages).map(({ span }) => endOf(span));
  return Math.max(trace.total_ms ?? 0, ...ends, 1);
}

export const callsOf = (trace: TraceOut, stage: number): TraceCall[] =>
  trace.calls.filter((call) => call.stage === stage);

/** Calls of the run that are in none of its stages: made after its end, or while none was under way. */
export const callsBeside = (trace: TraceOut): TraceCall[] => trace.calls.filter((call) => call.stage == null);

export interface Difference {
  name: string;
  before: string;
  after: string;
}

const shown = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? '—'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** The settings in which two runs differ, nested ones by their path. */
export function differences(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
  path = '',
): Difference[] {
  if (!before || !after) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [one, other] = [before[name], after[name]];
    const key = path ? `${path}.${name}` : name;
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    if (isPlain(one) && isPlain(other)) return differences(one, other, key);
    return [{ name: key, before: shown(one), after: shown(other) }];
  });
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Side = 'both' | 'before' | 'after';

export interface Source {
  key: string;
  document: string;
  section: string;
  side: Side;
}

/** The sources of two answers, those of both first. */
export function sourcesOf(before: RunOut, after: RunOut): Source[] {
  const of = (run: RunOut) => run.retrieval?.hits ?? [];
  const ids = (run: RunOut) => new Set(of(run).map((hit) => hit.paragraph_id));
  const [old, fresh] = [ids(before), ids(after)];
  const all = new Map([...of(before), ...of(after)].map((hit) => [hit.paragraph_id, hit]));
  const order: Side[] = ['both', 'after', 'before'];
  return [...all.values()]
    .map((hit) => ({
      key: hit.paragraph_id,
      document: hit.document,
      section: hit.section,
      side: (old.has(hit.paragraph_id) ? (fresh.has(hit.paragraph_id) ? 'both' : 'before') : 'after') as Side,
    }))
    .sort((one, other) => order.indexOf(one.side) - order.indexOf(other.side));
}
