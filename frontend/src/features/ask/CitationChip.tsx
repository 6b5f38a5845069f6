/** The small number behind a claim: hovering shows the passage, a click opens it in its document. */
import { Box, HoverCard, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CitationOut } from '../../api/generated/types.gen';
import { ClampedPassage } from '../paragraphs/ClampedPassage';
import classes from './CitationChip.module.css';
import { useFocusCitation } from './focus';

interface Props {
  citation: CitationOut;
  runId: string;
}

export const placeOf = (citation: { page?: number | null; section: string }, page: (n: number) => string) =>
  [citation.page ? page(citation.page) : null, citation.section || null].filter(Boolean).join(' · ');

export function CitationChip({ citation, runId }: Props) {
  const { t } = useTranslation();
  const focus = useFocusCitation();
  const { document_id: documentId, paragraph_id: paragraphId } = citation;
  const place = placeOf(citation, (page) => t('common.page', { page }));
  const label = t('ask.citationLabel', { n: citation.n, document: citation.document, place });
  // What is not in the document any more is still in the version the answer was made from.
  const isPast = citation.available === false;
  const look = () => focus({ runId, n: citation.n });
  const away = () => focus({ runId, n: null });
  if (citation.kind === 'tool') {
    return (
      <HoverCard width={360} shadow="lg" openDelay={180} closeDelay={80} withinPortal position="top">
        <HoverCard.Target>
          <button
            type="button"
            className={classes.chip}
            aria-label={t('ask.citationLabel', {
              n: citation.n,
              document: citation.document,
              place: t('ask.toolAnswer'),
            })}
            onMouseEnter={look}
            onMouseLeave={away}
            onFocus={look}
            onBlur={away}
          >
            {citation.n}
          </button>
        </HoverCard.Target>
        <HoverCard.Dropdown className={classes.card}>
          <Text size="sm" fw={600} lineClamp={1}>
            {citation.document}
          </Text>
          <Text size="xs" c="dimmed">
            {t('ask.toolAnswer')}
          </Text>
          <Box fz="sm" mt={6}>
            <ClampedPassage text={citation.text} lines={8} />
          </Box>
        </HoverCard.Dropdown>
      </HoverCard>
    );
  }
  if (documentId === null || paragraphId === null) {
    return (
      <Tooltip label={t('access.hiddenCitation')}>
        <span className={classes.chip} data-gone role="img" aria-label={t('access.hiddenCitation')}>
          {citation.n}
        </span>
      </Tooltip>
    );
  }
  return (
    <HoverCard width={360} shadow="lg" openDelay={180} closeDelay={80} withinPortal position="top">
      <HoverCard.Target>
        <Link
          to="/documents/$documentId"
          params={{ documentId }}
          search={{
            paragraph: paragraphId,
            start: citation.offset,
            length: citation.text.length,
            run: runId,
            cite: citation.n,
          }}
          className={classes.chip}
          data-gone={isPast || undefined}
          aria-label={label}
          onMouseEnter={look}
          onMouseLeave={away}
          onFocus={look}
          onBlur={away}
          preload={false}
        >
          {citation.n}
        </Link>
      </HoverCard.Target>
      <HoverCard.Dropdown className={classes.card}>
        <Text size="sm" fw={600} lineClamp={1}>
          {citation.document}
        </Text>
        {place && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {place}
          </Text>
        )}
        {isPast && (
          <Text size="xs" c="dimmed">
            {t('ask.passageGone')}
          </Text>
        )}
        <Box fz="sm" mt={6}>
          <ClampedPassage text={citation.text} lines={8} inLink />
        </Box>
      </HoverCard.Dropdown>
    </HoverCard>
  );
}
