/** Why nothing counts as found, in one sentence: the gate that decided and its numbers. */
import { useTranslation } from 'react-i18next';
import type { GateDecisionView } from '../api/generated/types.gen';
import { formatNumber, formatScore } from '../i18n/format';

export function useDecisionText(): (decision: GateDecisionView) => string {
  const { t } = useTranslation();
  return ({ gate, score, threshold, below }) => {
    // A reranker has a scale of its own, on which two digits may say nothing.
    const write = gate === 'rerank' ? formatNumber : formatScore;
    return t(`hitTest.decision.${gate}`, {
      score: write(score),
      threshold: write(threshold),
      count: below,
    });
  };
}
