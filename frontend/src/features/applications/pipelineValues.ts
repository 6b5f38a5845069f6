/** The stages of an answer as the form holds them, and what the server takes. */
import type { ApplicationOut, ApplicationSettings, StageSettings } from '../../api/generated/types.gen';

export const stageNames = [
  'memory',
  'rewrite',
  'intents',
  'guidance',
  'system',
  'tools',
  'retrieve',
  'empty',
  'answer',
] as const;
export type StageName = (typeof stageNames)[number];

/** Stages that ask a language model; the others have none to choose. */
export const stagesWithModel: readonly StageName[] = [
  'memory',
  'rewrite',
  'intents',
  'system',
  'tools',
  'empty',
];

export interface StageValues {
  on: boolean;
  model_id: string | null;
  deadline_s: number;
}

export interface PipelineValues {
  stages: Record<StageName, StageValues>;
  /** `what people say = what the documents call it`, one a line. */
  term_mapping: string;
  tools: string[];
  summary_chars: number;
  notes: boolean;
  when_model_fails: 'error' | 'quote';
  restart_answers: boolean;
}

const deadlines: Record<StageName, number> = {
  memory: 5,
  rewrite: 20,
  intents: 20,
  guidance: 20,
  system: 60,
  tools: 60,
  retrieve: 30,
  empty: 60,
  answer: 600,
};

const stagesOf = (stored: Partial<Record<StageName, StageSettings>>) =>
  Object.fromEntries(
    stageNames.map((name) => [
      name,
      {
        on: stored[name]?.on ?? true,
        model_id: stored[name]?.model_id ?? null,
        deadline_s: stored[name]?.deadline_s ?? deadlines[name],
      },
    ]),
  ) as Record<StageName, StageValues>;

export const emptyPipeline: PipelineValues = {
  stages: stagesOf({}),
  term_mapping: '',
  tools: [],
  summary_chars: 400,
  notes: false,
  when_model_fails: 'error',
  restart_answers: true,
};

export function pipelineOf(settings: ApplicationOut['settings']): PipelineValues {
  return {
    stages: stagesOf(settings.stages ?? {}),
    term_mapping: (settings.term_mapping ?? []).map((one) => `${one.said} = ${one.written}`).join('\n'),
    tools: settings.tools ?? [],
    summary_chars: settings.summary_chars ?? emptyPipeline.summary_chars,
    notes: settings.notes ?? false,
    when_model_fails: settings.when_model_fails ?? 'error',
    restart_answers: settings.restart_answers ?? true,
  };
}

/** The lines that are no pair of words. */
export const faultyTerms = (lines: string) =>
  lines.split('\n').filter((line) => line.trim() !== '' && termOf(line) === null);

function termOf(line: string) {
  const at = line.search(/[=＝]/);
  const said = line.slice(0, at).trim();
  const written = line.slice(at + 1).trim();
  return at > 0 && said && written ? { said, written } : null;
}

export function toPipeline(values: PipelineValues): Partial<ApplicationSettings> {
  return {
    stages: values.stages,
    term_mapping: values.term_mapping
      .split('\n')
      .map(termOf)
      .filter((term) => term !== null),
    tools: values.tools,
    summary_chars: values.summary_chars,
    notes: values.notes,
    when_model_fails: values.when_model_fails,
    restart_answers: values.restart_answers,
  };
}
