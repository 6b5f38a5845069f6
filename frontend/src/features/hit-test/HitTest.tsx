/** What a search finds, and the numbers that decided: for tuning a base before people rely on it. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { BatchTest } from './BatchTest';
import { CompareTest } from './CompareTest';
import { SingleTest } from './SingleTest';

const ways = ['single', 'compare', 'batch'] as const;

export function HitTest({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const [way, setWay] = useState<(typeof ways)[number]>('single');
  const [visited, setVisited] = useState<readonly string[]>(['single']);
  const go = (name: (typeof ways)[number]) => {
    setWay(name);
    setVisited((names) => (names.includes(name) ? names : [...names, name]));
  };
  // A way that was visited stays as it was while another is looked at.
  const shown = (name: (typeof ways)[number]) => ({ display: way === name ? undefined : 'none' });
  return (
    <>
      <SegmentedControl
        mb="lg"
        aria-label={t('hitTest.way')}
        value={way}
        onChange={(value) => go(ways.find((one) => one === value) ?? 'single')}
        data={ways.map((value) => ({ value, label: t(`hitTest.ways.${value}`) }))}
      />
      <div style={shown('single')}>
        <SingleTest base={base} />
      </div>
      {visited.includes('compare') && (
        <div style={shown('compare')}>
          <CompareTest base={base} />
        </div>
      )}
      {visited.includes('batch') && (
        <div style={shown('batch')}>
          <BatchTest base={base} />
        </div>
      )}
    </>
  );
}
