/** What the form holds, and how it becomes what the server takes. */

import type { AgentSettings, ApplicationCreate, ApplicationOut } from '../../api/generated/types.gen';
import { emptyPipeline, type PipelineValues, pipelineOf, toPipeline } from './pipelineValues';

export type Mode = 'blend' | 'embedding' | 'keywords';
/** A name the server lists: one of ours, or of an installed package. */
export type Strategy = string;

export type Answering = 'quoting' | 'pipeline' | 'agent';

export type DirectoryTool = NonNullable<AgentSettings['ask_before']>[number];

/** How an agent works; `code_names` one a line. */
export interface AgentValues {
  rounds: number;
  tool_rounds: number;
  max_tokens: number | '';
  max_cost: number | '';
  code_names: string;
  skills: string[];
  working_directory: boolean;
  ask_before: DirectoryTool[];
}

export interface ApplicationValues {
  name: string;
  description: string;
  knowledge_base_ids: string[];
  model_id: string | null;
  /** Without a model of its own: the purpose whose model serves it. */
  purpose: string;
  system: string;
  answer: string;
  mode: Mode;
  top_n: number;
  similarity: number;
  route_bases: boolean;
  strategy: Strategy;
  drop: number | '';
  diversity: number;
  recency: number;
  context: 'paragraph' | 'window';
  window_chars: number;
  reranker: string | null;
  rerank_candidates: number;
  rerank_min_score: number | '';
  rerank_timeout_s: number;
  max_context_chars: number;
  empty_reply: string;
  opening_words: string;
  /** One question a line. */
  suggested_questions: string;
  complete_question: boolean;
  history_turns: number;
  temperature: number | '';
  language: 'zh' | 'en' | 'auto';
  answering: Answering;
  agent: AgentValues;
  /** Prompts of the situations beside the common one. */
  prompts: { tools: string; both: string; empty: string };
  pipeline: PipelineValues;
}

export const emptyApplication: ApplicationValues = {
  name: '',
  description: '',
  knowledge_base_ids: [],
  model_id: null,
  purpose: '',
  system: '',
  answer: '',
  mode: 'blend',
  top_n: 5,
  similarity: 0.45,
  route_bases: false,
  strategy: 'hybrid-search',
  drop: 0.15,
  diversity: 0,
  recency: 0,
  context: 'paragraph',
  window_chars: 1200,
  reranker: null,
  rerank_candidates: 50,
  rerank_min_score: '',
  rerank_timeout_s: 3,
  max_context_chars: 8000,
  empty_reply: '',
  opening_words: '',
  suggested_questions: '',
  complete_question: true,
  history_turns: 8,
  temperature: '',
  language: 'auto',
  answering: 'pipeline',
  agent: {
    rounds: 3,
    tool_rounds: 10,
    max_tokens: '',
    max_cost: '',
    code_names: '',
    skills: [],
    working_directory: false,
    ask_before: ['run_command'],
  },
  prompts: { tools: '', both: '', empty: '' },
  pipeline: emptyPipeline,
};

function agentOf(stored: AgentSettings | undefined): AgentValues {
  const base = emptyApplication.agent;
  return {
    rounds: stored?.rounds ?? base.rounds,
    tool_rounds: stored?.tool_rounds ?? base.tool_rounds,
    max_tokens: stored?.max_tokens ?? '',
    max_cost: stored?.max_cost ?? '',
    code_names: (stored?.code_names ?? []).join('\n'),
    skills: stored?.skills ?? base.skills,
    working_directory: stored?.working_directory ?? base.working_directory,
    ask_before: stored?.ask_before ?? base.ask_before,
  };
}

export function valuesOf(application: ApplicationOut): ApplicationValues {
  const { settings, prompts } = application;
  const base = emptyApplication;
  return {
    name: application.name,
    description: application.description,
    knowledge_base_ids: application.knowledge_base_ids,
    model_id: application.model_id,
    purpose: settings.purpose ?? '',
    system: prompts.system ?? '',
    answer: prompts.answer ?? '',
    mode: settings.mode ?? base.mode,
    top_n: settings.top_n ?? base.top_n,
    similarity: settings.similarity ?? base.similarity,
    route_bases: settings.route_bases ?? base.route_bases,
    strategy: settings.strategy ?? base.strategy,
    drop: settings.drop ?? '',
    diversity: settings.diversity ?? base.diversity,
    recency: settings.recency ?? base.recency,
    context: settings.context ?? base.context,
    window_chars: settings.window_chars ?? base.window_chars,
    reranker: settings.rerank?.model_id ?? null,
    rerank_candidates: settings.rerank?.candidates ?? base.rerank_candidates,
    rerank_min_score: settings.rerank?.min_score ?? '',
    rerank_timeout_s: settings.rerank?.timeout_s ?? base.rerank_timeout_s,
    max_context_chars: settings.max_context_chars ?? base.max_context_chars,
    empty_reply: settings.empty_reply ?? '',
    opening_words: settings.opening_words ?? '',
    suggested_questions: (settings.suggested_questions ?? []).join('\n'),
    complete_question: settings.complete_question ?? base.complete_question,
    history_turns: settings.history_turns ?? base.history_turns,
    temperature: settings.temperature ?? '',
    language: settings.language ?? 'auto',
    answering: settings.answering ?? base.answering,
    agent: agentOf(settings.agent),
    prompts: { tools: prompts.tools ?? '', both: prompts.both ?? '', empty: prompts.empty ?? '' },
    pipeline: pipelineOf(settings),
  };
}

export const questionsOf = (lines: string) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const rerankOf = (values: ApplicationValues) =>
  values.reranker === null
    ? null
    : {
        model_id: values.reranker,
        candidates: values.rerank_candidates,
        min_score: values.rerank_min_score === '' ? null : values.rerank_min_score,
        timeout_s: values.rerank_timeout_s,
      };

export function toBody(values: ApplicationValues): ApplicationCreate {
  return {
    name: values.name.trim(),
    description: values.description.trim(),
    knowledge_base_ids: values.knowledge_base_ids,
    model_id: values.model_id,
    prompts: { system: values.system, answer: values.answer, ...values.prompts },
    settings: {
      purpose: values.purpose.trim() || null,
      mode: values.mode,
      top_n: values.top_n,
      similarity: values.similarity,
      route_bases: values.route_bases,
      strategy: values.strategy,
      drop: values.drop === '' ? null : values.drop,
      diversity: values.diversity,
      recency: values.recency,
      context: values.context,
      window_chars: values.window_chars,
      rerank: rerankOf(values),
      max_context_chars: values.max_context_chars,
      empty_reply: values.empty_reply.trim() || null,
      opening_words: values.opening_words,
      suggested_questions: questionsOf(values.suggested_questions),
      complete_question: values.complete_question,
      history_turns: values.history_turns,
      temperature: values.temperature === '' ? null : values.temperature,
      language: values.language === 'auto' ? null : values.language,
      answering: values.answering,
      ...toPipeline(values.pipeline),
      agent: {
        ...values.agent,
        max_tokens: values.agent.max_tokens === '' ? null : values.agent.max_tokens,
        max_cost: values.agent.max_cost === '' ? null : values.agent.max_cost,
        code_names: questionsOf(values.agent.code_names),
      },
    },
  };
}
