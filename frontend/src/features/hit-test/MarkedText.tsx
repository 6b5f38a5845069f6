import { codePointOffset } from '../../api/codePointOffset';
import classes from './HitTest.module.css';
import { segmentsOf } from './segments';

interface Props {
  text: string;
  /** Spans in characters, as the server counts them. */
  piece: [number, number];
  words: [number, number][];
}

/** A paragraph with the piece that was found on a wash and the question's words marked. */
export function MarkedText({ text, piece, words }: Props) {
  const inUnits = ([start, end]: [number, number]): [number, number] => [
    codePointOffset(text, start),
    codePointOffset(text, end),
  ];
  const whole = inUnits(piece);
  const isPart = whole[1] > whole[0] && whole[1] - whole[0] < text.length;
  return segmentsOf(text, isPart ? whole : null, words.map(inUnits)).map(
    ({ start, text: part, inPiece, isWord }) => (
      <span key={start} className={inPiece ? classes.piece : undefined}>
        {isWord ? <mark>{part}</mark> : part}
      </span>
    ),
  );
}
