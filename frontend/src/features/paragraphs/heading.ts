import type { ParagraphView } from '../../api/generated/types.gen';

/** The titles above a paragraph and its own, as one line. */
export const headingOf = ({ title, title_chain }: Pick<ParagraphView, 'title' | 'title_chain'>) =>
  [...title_chain, title].filter(Boolean).join(' › ');
