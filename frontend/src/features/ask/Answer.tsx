/** An answer as document text: Markdown made safe, with citation chips and marks on what lacks support. */
import { Anchor, Table, Tooltip } from '@mantine/core';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown, { type Components } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import type { RunOut } from '../../api/generated/types.gen';
import { useWordFor } from '../../i18n/useWordFor';
import classes from './Answer.module.css';
import { answerMarkup } from './answerMarkup';
import { CitationChip } from './CitationChip';

interface Props {
  run: RunOut;
  writing: boolean;
}

const remarkPlugins = [remarkGfm];

export const Answer = memo(function Answer({ run, writing }: Props) {
  const { t } = useTranslation();
  const wordFor = useWordFor('reasons');
  const citations = run.citations;
  const sentences = run.sentences;
  const byNumber = useMemo(() => new Map((citations ?? []).map((one) => [one.n, one])), [citations]);
  const unsupported = useMemo(
    () => (writing ? [] : (sentences ?? []).filter((sentence) => !sentence.supported)),
    [sentences, writing],
  );
  const plugins = useMemo(
    () => [rehypeSanitize, [answerMarkup, { known: new Set(byNumber.keys()), unsupported }]] as never,
    [byNumber, unsupported],
  );
  const components = useMemo<Components>(() => {
    const reasonText = (reason: string) => wordFor(reason) ?? t('reasons.not-in-evidence');
    return {
      cite: ({ node }) => {
        const citation = byNumber.get(Number(node?.properties.dataN));
        return citation ? <CitationChip citation={citation} runId={run.id} /> : null;
      },
      u: ({ node, children }) => (
        <Tooltip
          label={reasonText(String(node?.properties.dataReason))}
          events={{ hover: true, focus: true, touch: true }}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason must be reachable by keyboard */}
          <u className={classes.unsupported} tabIndex={0}>
            {children}
          </u>
        </Tooltip>
      ),
      a: ({ href, children }) => (
        <Anchor href={href} target="_blank" rel="noreferrer noopener">
          {children}
        </Anchor>
      ),
      table: ({ children }) => (
        <Table.ScrollContainer minWidth={320}>
          <Table withTableBorder>{children}</Table>
        </Table.ScrollContainer>
      ),
      // A picture in an answer would be fetched from wherever the text says: only its words are shown.
      img: ({ alt }) => <em>{alt}</em>,
    };
  }, [byNumber, run.id, t, wordFor]);
  const source = writing ? remend(run.answer) : run.answer;
  return (
    <div className={classes.answer} data-writing={writing || undefined}>
      <Markdown remarkPlugins={remarkPlugins} rehypePlugins={plugins} components={components}>
        {source}
      </Markdown>
    </div>
  );
});
