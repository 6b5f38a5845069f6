/** The original beside the paragraphs: side by side where there is room, one after the other on phones. */
import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DocumentView, ParagraphView } from '../../api/generated/types.gen';
import { ParagraphFeed, type Target } from '../paragraphs/ParagraphFeed';
import classes from './DocumentBody.module.css';
import { PageImages } from './PageImages';
import { useOriginal } from './useOriginal';

interface Props {
  document: DocumentView;
  version: number | null;
  q: string;
  editable: boolean;
  target: Target | null;
  /** From this width on both are shown beside each other. */
  wideFrom?: string;
  above?: ReactNode;
}

export function DocumentBody({ document, version, q, editable, target, wideFrom = '75em', above }: Props) {
  const { t } = useTranslation();
  const wide = useMediaQuery(`(min-width: ${wideFrom})`, false, { getInitialValueInEffect: false });
  const [side, setSide] = useState<'text' | 'pages'>('text');
  const [looked, setLooked] = useState<ParagraphView | null>(null);
  const original = useOriginal(document, version);
  const hasPages = original !== null;
  const showPages = hasPages && (wide || side === 'pages');
  const showText = !hasPages || wide || side === 'text';
  return (
    <>
      {hasPages && !wide && (
        <SegmentedControl
          fullWidth
          mb="md"
          aria-label={t('document.view')}
          value={side}
          onChange={(value) => setSide(value === 'pages' ? 'pages' : 'text')}
          data={[
            { value: 'text', label: t('document.text') },
            { value: 'pages', label: t('document.original') },
          ]}
        />
      )}
      <div className={classes.body} data-split={(showPages && showText) || undefined}>
        {showPages && original && <PageImages original={original} looked={looked} />}
        {/* Stays mounted: what is being edited must survive a look at the original. */}
        <div className={classes.text} hidden={!showText}>
          {above}
          <ParagraphFeed
            document={document}
            version={version}
            q={q}
            editable={editable}
            target={target}
            looked={looked?.id ?? null}
            onLook={setLooked}
          />
        </div>
      </div>
    </>
  );
}
