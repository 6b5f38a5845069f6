/** Between a run's recorded settings and what it is asked again with. */
import type { RunAgain } from '../../api/generated/types.gen';

export const situations = ['system', 'knowledge', 'tools', 'both', 'empty'] as const;
export const stageNames = [
  'memory',
  'rewrite',
  'intents',
  'guidance',
  'system',
  'retrieve',
  'tools',
] as const;

export interface AgainValues {
  answering: 'pipeline' | 'agent' | 'quoting';
  model_id: string | null;
  mode: 'blend' | 'embedding' | 'keywords';
  top_n: number | '';
  similarity: number | '';
  temperature: number | '';
  stages_off: string[];
  prompts: Record<(typeof situations)[number], string>;
}

type Settings = Record<string, unknown>;

export function settingsOf(settings: Settings): AgainValues {
  const stages = (settings.stages ?? {}) as Record<string, { on?: boolean } | undefined>;
  const prompts = (settings.prompts ?? {}) as Record<string, string | undefined>;
  const templates = Object.fromEntries(
    situations.map((name) => [
      name,
      name === 'system' ? String(settings.system_prompt ?? '') : (prompts[name] ?? ''),
    ]),
  );
  return {
    answering: (settings.answering as AgainValues['answering'] | undefined) ?? 'pipeline',
    model_id: (settings.model_id as string | null | undefined) ?? null,
    mode: (settings.mode as AgainValues['mode'] | undefined) ?? 'blend',
    top_n: (settings.top_n as number | undefined) ?? 5,
    similarity: (settings.similarity as number | undefined) ?? 0.45,
    temperature: (settings.temperature as number | null | undefined) ?? '',
    stages_off: stageNames.filter((name) => stages[name]?.on === false),
    prompts: templates as AgainValues['prompts'],
  };
}

/** All of it is sent, so that the new answer differs from the old one in nothing else. */
export const changesOf = (values: AgainValues): RunAgain => ({
  answering: values.answering,
  model_id: values.model_id,
  mode: values.mode,
  top_n: values.top_n === '' ? null : values.top_n,
  similarity: values.similarity === '' ? null : values.similarity,
  temperature: values.temperature === '' ? null : values.temperature,
  stages_off: values.stages_off as RunAgain['stages_off'],
  prompts: values.prompts,
});
