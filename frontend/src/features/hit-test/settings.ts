/** How a hit test searches, as the form holds it and as the server takes it. */
import type { SearchSettings } from './types';

export const modes = ['blend', 'embedding', 'keywords'] as const;
export const strategies = ['hybrid-search', 'entity-focused', 'time-aware', 'auto'] as const;

export interface TestSettings {
  bases: string[];
  mode: (typeof modes)[number];
  similarity: number;
  topN: number;
  /** 0 for none. */
  drop: number;
  strategy: (typeof strategies)[number];
  diversity: number;
  recency: number;
  reranker: string | null;
}

export const defaultSettings = (bases: string[]): TestSettings => ({
  bases,
  mode: 'blend',
  similarity: 0.45,
  topN: 5,
  drop: 0,
  strategy: 'hybrid-search',
  diversity: 0,
  recency: 0,
  reranker: null,
});

export function searchSettings(settings: TestSettings): SearchSettings & { knowledge_base_ids: string[] } {
  return {
    knowledge_base_ids: settings.bases,
    mode: settings.mode,
    similarity: settings.similarity,
    top_n: settings.topN,
    drop: settings.drop > 0 ? settings.drop : null,
    strategy: settings.strategy,
    diversity: settings.diversity,
    recency: settings.recency,
    rerank: settings.reranker ? { model_id: settings.reranker } : null,
  };
}

/** How many of the settings behind "more" are not as they are at first. */
export function changedCount(settings: TestSettings): number {
  const first = defaultSettings(settings.bases);
  const behind = ['drop', 'strategy', 'diversity', 'recency', 'reranker'] as const;
  return behind.filter((name) => settings[name] !== first[name]).length;
}
