/** A text cut where a span begins or ends. */
type Span = [number, number];

export interface Segment {
  start: number;
  text: string;
  inPiece: boolean;
  isWord: boolean;
}

/** The parts of `text` in order, each with what it lies in. Spans are in UTF-16 units. */
export function segmentsOf(text: string, piece: Span | null, words: Span[]): Segment[] {
  const cuts = new Set([0, text.length]);
  for (const [start, end] of [...words, ...(piece ? [piece] : [])]) {
    cuts.add(Math.min(start, text.length));
    cuts.add(Math.min(end, text.length));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  const within = (spans: Span[], at: number) => spans.some(([start, end]) => start <= at && at < end);
  return sorted.slice(0, -1).map((start, index) => ({
    start,
    text: text.slice(start, sorted[index + 1]),
    inPiece: piece !== null && within([piece], start),
    isWord: within(words, start),
  }));
}
