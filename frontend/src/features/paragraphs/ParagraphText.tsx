import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { codePointOffset } from '../../api/codePointOffset';
import classes from './Paragraph.module.css';
import type { Target } from './ParagraphFeed';

/** Tables, lists, code and emphasis are what paragraphs carry as Markdown; anything else is read as it stands. */
const looksFormatted = /^\s*\|.*\|\s*$|^\s*([-*+]|\d+\.)\s|```|\*\*/m;
const remarkPlugins = [remarkGfm];
const rehypePlugins = [rehypeSanitize];

/** A paragraph's text. The cited passage is marked exactly, so the text is then shown as it is stored. */
export function ParagraphText({ content, target }: { content: string; target: Target | null }) {
  const { t } = useTranslation();
  const mark = useRef<HTMLElement>(null);
  const start = target?.start ?? null;
  const length = target?.length ?? null;
  useEffect(() => {
    if (start !== null) mark.current?.scrollIntoView({ block: 'center', behavior: 'instant' });
  }, [start]);
  if (target) {
    const from = start === null ? 0 : codePointOffset(content, start);
    const to = start === null || length === null ? content.length : Math.min(content.length, from + length);
    return (
      <div className={classes.text}>
        <p className={classes.plain}>
          {content.slice(0, from)}
          <mark ref={mark} className={classes.mark}>
            {content.slice(from, to)}
          </mark>
          {content.slice(to)}
        </p>
      </div>
    );
  }
  if (!looksFormatted.test(content)) {
    return (
      <div className={classes.text}>
        <p className={classes.plain}>{content}</p>
      </div>
    );
  }
  return (
    <div className={classes.text}>
      <Markdown
        remarkPlugins={remarkPlugins}
        rehypePlugins={rehypePlugins}
        components={{
          img: ({ alt }) => <em>{alt}</em>,
          table: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
            <section className={classes.wide} tabIndex={0} aria-label={t('paragraphs.table')}>
              <table>{children}</table>
            </section>
          ),
        }}
      >
        {content}
      </Markdown>
    </div>
  );
}
