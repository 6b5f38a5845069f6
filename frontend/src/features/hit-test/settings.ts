/** How a hit test searches, as the form holds it and as the server takes it. */
import type { SearchSettings } from './types';

export const modes = ['blend', 'embedding', 'keywords'] as const;
export const contexts = ['paragraph', 'window'] as const;

/** A document that the search is narrowed to, with its base: it goes when that base goes. */
export interface ChosenDocument {
  id: string;
  name: string;
  baseId: string;
}

export interface TestSettings {
  bases: string[];
  mode: (typeof modes)[number];
  similarity: number;
  topN: number;
  /** 0 for none. */
  drop: number;
  /** A name the server lists. */
  strategy: string;
  diversity: number;
  recency: number;
  reranker: string | null;
  /** Empty for all. */
  documents: ChosenDocument[];
  context: (typeof contexts)[number];
  windowChars: number;
  /** Whether to choose among the bases first. */
  route: boolean;
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
  documents: [],
  context: 'paragraph',
  windowChars: 1200,
  route: false,
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
    document_ids: settings.documents.length > 0 ? settings.documents.map(({ id }) => id) : null,
    context: settings.context,
    window_chars: settings.windowChars,
    route: settings.route && settings.bases.length > 1,
  };
}

/** The settings with other bases; documents of those that are left out go with them. */
export const withBases = (settings: TestSettings, bases: string[]): TestSettings => ({
  ...settings,
  bases,
  documents: settings.documents.filter(({ baseId }) => bases.includes(baseId)),
});

/** How many of the settings behind "more" are not as they are at first. */
export function changedCount(settings: TestSettings): number {
  const first = defaultSettings(settings.bases);
  const behind = ['drop', 'strategy', 'diversity', 'recency', 'reranker', 'context', 'route'] as const;
  const changed = behind.filter((name) => settings[name] !== first[name]).length;
  return changed + (settings.documents.length > 0 ? 1 : 0);
}
