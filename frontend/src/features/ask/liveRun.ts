/** A run as it grows: the events of its stream folded into the record that the server keeps of it. */
import type { ServerEvent } from '../../api/events';
import type { CitationOut, RunOut, StageOut } from '../../api/generated/types.gen';

/** A tool that the run has called. */
export interface LiveTool {
  id: string;
  title: string;
  state: 'running' | 'done' | 'failed';
}

/** A run with what only matters while it grows: its place in a queue, the tools it has called. */
export type GrowingRun = RunOut & { queue?: number | null; tools?: LiveTool[] };

export const isOpen = (run: RunOut) => run.state === 'queued' || run.state === 'running';

/** The record before its first event; replaying the stream from the start fills it again. */
export const rewound = (run: RunOut): GrowingRun => ({
  ...run,
  answer: '',
  citations: [],
  sentences: [],
  stages: [],
  warnings: [],
  error: null,
  form: null,
  queue: null,
  tools: [],
});

function withStage(stages: StageOut[], stage: StageOut): StageOut[] {
  const at = stages.findIndex((known) => known.name === stage.name && known.state === 'started');
  if (at < 0) return [...stages, stage];
  return stages.map((known, index) => (index === at ? stage : known));
}

export function applyEvent(run: GrowingRun, event: ServerEvent): GrowingRun {
  const data = event.data as Record<string, never>;
  switch (event.name) {
    case 'run.started':
      return { ...run, state: 'running' };
    case 'queue':
      return { ...run, queue: data.position };
    case 'stage':
      return {
        ...run,
        queue: null,
        stages: withStage(run.stages ?? [], data as unknown as StageOut),
      };
    case 'tool.call': {
      const call = data as unknown as { id: string; tool: string; title: string };
      const tool: LiveTool = { id: call.id, title: call.title || call.tool, state: 'running' };
      return { ...run, tools: [...(run.tools ?? []), tool] };
    }
    case 'tool.result':
      return {
        ...run,
        tools: (run.tools ?? []).map((tool) =>
          tool.id === data.id ? { ...tool, state: data.ok ? 'done' : 'failed' } : tool,
        ),
      };
    case 'sources':
      return { ...run, retrieval: { ...run.retrieval, ...(data as object) } };
    case 'delta':
      return { ...run, queue: null, answer: run.answer + data.text };
    case 'citation': {
      const citation = data as unknown as CitationOut;
      const known = run.citations ?? [];
      return known.some((other) => other.n === citation.n)
        ? run
        : { ...run, citations: [...known, { ...citation, available: citation.available ?? true }] };
    }
    case 'warning':
      return { ...run, warnings: [...(run.warnings ?? []), data as never] };
    case 'form':
      return { ...run, form: data as never };
    case 'usage':
      return { ...run, usage: data as never };
    case 'error':
      return { ...run, error: data as never };
    case 'snapshot':
      return { ...run, ...(data as object) };
    case 'run.finished':
      return (data.run as unknown as RunOut | null) ?? { ...run, state: data.state ?? 'finished' };
    default:
      return run;
  }
}

/** A question with all its answers, oldest first: retries are further answers to the same question. */
export interface Turn {
  id: string;
  question: string;
  runs: RunOut[];
}

export function groupTurns(runs: RunOut[]): Turn[] {
  const turnOf = new Map<string, Turn>();
  const turns: Turn[] = [];
  for (const run of runs) {
    const earlier = run.retry_of ? turnOf.get(run.retry_of) : undefined;
    if (earlier) {
      earlier.runs.push(run);
      turnOf.set(run.id, earlier);
    } else {
      const turn = { id: run.id, question: run.question, runs: [run] };
      turns.push(turn);
      turnOf.set(run.id, turn);
    }
  }
  return turns;
}
