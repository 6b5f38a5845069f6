/** A passage of a document to look at: compact, its Markdown made safe, what was found in it marked. */
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown, { type Components } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { codePointOffset } from '../../api/codePointOffset';
import classes from './PassageText.module.css';
import { looksFormatted, markWords, withTableHead } from './passageMarkdown';
import { segmentsOf } from './segments';

const remarkPlugins = [remarkGfm];
const heading: Components['h1'] = ({ children }) => <p className={classes.heading}>{children}</p>;
/** The passage often stands in a link and below other headings: nothing in it may be one as well. */
const components: Components = {
  a: ({ children }) => <span>{children}</span>,
  img: ({ alt }) => <em>{alt}</em>,
  input: () => null,
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  span: ({ node, children }) =>
    node?.properties.dataPiece === undefined ? (
      <span>{children}</span>
    ) : (
      <span className={classes.piece}>{children}</span>
    ),
};

/** Where the passage stands alone, wide tables scroll, also by keyboard. */
const scrolling: Components = {
  ...components,
  table: ({ children }) => <WideTable>{children}</WideTable>,
};

function WideTable({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.wide} tabIndex={0} aria-label={t('paragraphs.table')}>
      <table>{children}</table>
    </section>
  );
}

export interface PassageProps {
  text: string;
  /** Whether it stands in a link, where nothing may be focused. */
  inLink?: boolean;
  /** Spans in characters, as the server counts them. */
  piece?: [number, number];
  words?: [number, number][];
}

const noWords: [number, number][] = [];

export function PassageText({ text, inLink = false, piece, words = noWords }: PassageProps) {
  const shown = useMemo(() => {
    const inUnits = ([start, end]: [number, number]): [number, number] => [
      codePointOffset(text, start),
      codePointOffset(text, end),
    ];
    const whole = piece ? inUnits(piece) : null;
    const isPart = whole !== null && whole[1] > whole[0] && whole[1] - whole[0] < text.length;
    return { piece: isPart ? whole : null, words: words.map(inUnits) };
  }, [text, piece, words]);
  const markdown = useMemo(() => {
    if (!looksFormatted(text)) return null;
    const { source, at } = withTableHead(text);
    const moved = ([start, end]: [number, number]): [number, number] => [at(start), at(end)];
    const marks = {
      source,
      piece: shown.piece && moved(shown.piece),
      words: shown.words.map(moved),
    };
    return { source, plugins: [rehypeSanitize, [markWords, marks]] as never };
  }, [text, shown]);
  if (markdown === null) {
    return (
      <span className={classes.plain}>
        {segmentsOf(text, shown.piece, shown.words).map(({ start, text: part, inPiece, isWord }) => (
          <span key={start} className={inPiece ? classes.piece : undefined}>
            {isWord ? <mark className={classes.mark}>{part}</mark> : part}
          </span>
        ))}
      </span>
    );
  }
  return (
    <div className={classes.formatted}>
      <Markdown
        remarkPlugins={remarkPlugins}
        rehypePlugins={markdown.plugins}
        components={inLink ? components : scrolling}
      >
        {markdown.source}
      </Markdown>
    </div>
  );
}
