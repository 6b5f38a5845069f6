import type { ModelView } from '../../api/generated/types.gen';

export type Kind = ModelView['kind'];

/** The nine kinds of model, in the order of the page. */
export const kinds: readonly Kind[] = [
  'LLM',
  'EMBEDDING',
  'RERANKER',
  'IMAGE',
  'STT',
  'TTS',
  'TTI',
  'TTV',
  'ITV',
];

/** Those a knowledge base works with: they have their place on the page also while there is none. */
export const mainKinds: readonly Kind[] = ['LLM', 'EMBEDDING', 'RERANKER'];
