import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { codePointOffset } from '../../api/codePointOffset';
import classes from './Paragraph.module.css';
import type { Target } from './ParagraphFeed';
import { looksFormatted, markPassage, withTableHead } from './passageMarkdown';

const remarkPlugins = [remarkGfm];

/** A paragraph's text. The cited passage is marked in it, in the cells of a table as well. */
export function ParagraphText({ content, target }: { content: string; target: Target | null }) {
  const { t } = useTranslation();
  const body = useRef<HTMLDivElement>(null);
  const start = target?.start ?? null;
  const length = target?.length ?? null;
  useEffect(() => {
    if (start !== null)
      body.current?.querySelector('mark')?.scrollIntoView({ block: 'center', behavior: 'instant' });
  }, [start]);
  const from = start === null ? 0 : codePointOffset(content, start);
  const to = start === null || length === null ? content.length : Math.min(content.length, from + length);
  const isMarked = target !== null;
  const { source, at } = useMemo(() => withTableHead(content), [content]);
  const rehypePlugins = useMemo(
    () =>
      (isMarked
        ? [rehypeSanitize, [markPassage, { from: at(from), to: at(to) }]]
        : [rehypeSanitize]) as never,
    [isMarked, at, from, to],
  );
  if (target && !looksFormatted(content)) {
    return (
      <div ref={body} className={classes.text}>
        <p className={classes.plain}>
          {content.slice(0, from)}
          <mark className={classes.mark}>{content.slice(from, to)}</mark>
          {content.slice(to)}
        </p>
      </div>
    );
  }
  if (!looksFormatted(content)) {
    return (
      <div className={classes.text}>
        <p className={classes.plain}>{content}</p>
      </div>
    );
  }
  return (
    <div ref={body} className={classes.text}>
      <Markdown
        remarkPlugins={remarkPlugins}
        rehypePlugins={rehypePlugins}
        components={{
          mark: ({ children }) => <mark className={classes.mark}>{children}</mark>,
          img: ({ alt }) => <em>{alt}</em>,
          table: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
            <section className={classes.wide} tabIndex={0} aria-label={t('paragraphs.table')}>
              <table>{children}</table>
            </section>
          ),
        }}
      >
        {source}
      </Markdown>
    </div>
  );
}
