/** The passages behind an answer: the cited ones by number, then what was found beside them. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunOut } from '../../api/generated/types.gen';
import { formatPercent } from '../../i18n/format';
import { ClampedPassage } from '../paragraphs/ClampedPassage';
import { placeOf } from './CitationChip';
import classes from './Evidence.module.css';
import { useFocusedCitation } from './focus';

interface Passage {
  key: string;
  n: number | null;
  /** Null: the caller may not see the document any more. */
  documentId: string | null;
  paragraphId: string | null;
  document: string;
  place: string;
  text: string;
  similarity: number | null;
  offset: number | null;
  /** It is what a tool answered, and stands in no document. */
  ofTool?: boolean;
}

function passagesOf(run: RunOut, page: (n: number) => string) {
  const similarity = new Map((run.retrieval?.hits ?? []).map((hit) => [hit.paragraph_id, hit.similarity]));
  const cited: Passage[] = (run.citations ?? []).map((citation) => ({
    key: `c${citation.n}`,
    n: citation.n,
    documentId: citation.document_id,
    paragraphId: citation.paragraph_id,
    document: citation.document,
    place: placeOf(citation, page),
    text: citation.text,
    similarity: citation.similarity ?? similarity.get(citation.paragraph_id ?? '') ?? null,
    offset: citation.offset,
    ofTool: citation.kind === 'tool',
  }));
  const known = new Set(cited.map((passage) => passage.paragraphId));
  const others: Passage[] = (run.retrieval?.hits ?? [])
    .filter((hit) => !known.has(hit.paragraph_id))
    .map((hit) => ({
      key: hit.paragraph_id,
      n: null,
      documentId: hit.document_id,
      paragraphId: hit.paragraph_id,
      document: hit.document,
      place: placeOf(hit, page),
      text: hit.text,
      similarity: hit.similarity,
      offset: null,
    }));
  return { cited, others };
}

export function Evidence({ run }: { run: RunOut | null }) {
  const { t } = useTranslation();
  if (!run) return <Text c="dimmed">{t('ask.evidenceLater')}</Text>;
  const { cited, others } = passagesOf(run, (page) => t('common.page', { page }));
  if (cited.length + others.length === 0) {
    return (
      <Text c="dimmed">
        {run.retrieval?.found === false ? t('ask.evidenceNone') : t('ask.evidenceLater')}
      </Text>
    );
  }
  return (
    <div className={classes.list}>
      {cited.map((passage) => (
        <PassageCard key={passage.key} passage={passage} runId={run.id} />
      ))}
      {others.length > 0 && (
        <Text size="xs" fw={600} c="dimmed" mt={cited.length > 0 ? 8 : 0}>
          {cited.length > 0 ? t('ask.alsoFound') : t('ask.found')}
        </Text>
      )}
      {others.map((passage) => (
        <PassageCard key={passage.key} passage={passage} runId={run.id} />
      ))}
    </div>
  );
}

function PassageCard({ passage, runId }: { passage: Passage; runId: string }) {
  const { t } = useTranslation();
  const focused = useFocusedCitation();
  const lit = passage.n !== null && focused.runId === runId && focused.n === passage.n;
  const card = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (lit) card.current?.scrollIntoView({ block: 'nearest' });
  }, [lit]);
  if (passage.ofTool) {
    return (
      <div className={classes.card} data-lit={lit || undefined}>
        <span className={classes.head}>
          <span className={classes.number}>{passage.n}</span>
          <span className={classes.name}>{passage.document}</span>
        </span>
        <span className={classes.place}>{t('ask.toolAnswer')}</span>
        <div className={classes.text}>
          <ClampedPassage text={passage.text} lines={7} />
        </div>
      </div>
    );
  }
  if (passage.documentId === null || passage.paragraphId === null) {
    return (
      <div className={classes.card}>
        <span className={classes.head}>
          <span className={classes.number}>{passage.n}</span>
          <span className={classes.name}>{t('access.hiddenCitation')}</span>
        </span>
      </div>
    );
  }
  return (
    <Link
      ref={card}
      to="/documents/$documentId"
      params={{ documentId: passage.documentId }}
      search={{
        paragraph: passage.paragraphId,
        ...(passage.offset === null ? {} : { start: passage.offset, length: passage.text.length }),
        run: runId,
        ...(passage.n === null ? {} : { cite: passage.n }),
      }}
      className={classes.card}
      data-lit={lit || undefined}
      preload={false}
    >
      <span className={classes.head}>
        {passage.n !== null && <span className={classes.number}>{passage.n}</span>}
        <span className={classes.name}>{passage.document}</span>
        {passage.similarity !== null && (
          <span className={classes.similarity} title={t('ask.similarity')}>
            {formatPercent(passage.similarity)}
          </span>
        )}
      </span>
      {passage.place && <span className={classes.place}>{passage.place}</span>}
      <div className={classes.text}>
        <ClampedPassage text={passage.text} lines={7} inLink />
      </div>
    </Link>
  );
}
