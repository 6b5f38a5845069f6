import type { HitView } from '../../api/generated/types.gen';

type Span = [number, number];

/** What an answer would be given of a hit, with its marks moved along. Spans count characters (code points). */
export function passageOf(hit: Pick<HitView, 'content' | 'passage' | 'piece' | 'words'>) {
  const { content, passage, piece, words = [] } = hit;
  if (!passage) return { text: content, piece: piece as Span, words: words as Span[], window: null };
  const characters = [...content];
  const [from, to] = passage;
  const moved = ([start, end]: readonly number[]): Span => [
    Math.max(0, (start ?? 0) - from),
    Math.min(to, end ?? 0) - from,
  ];
  const inside = ([start, end]: readonly number[]) => (start ?? 0) < to && (end ?? 0) > from;
  return {
    text: characters.slice(from, to).join(''),
    piece: moved(piece),
    words: (words as Span[]).filter(inside).map(moved),
    window: { from: from + 1, to, all: characters.length },
  };
}
