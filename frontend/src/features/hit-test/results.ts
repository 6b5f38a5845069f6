/** What the outcomes of questions mean. */
import type { CaseResultView } from '../../api/generated/types.gen';

export const kinds = ['all', 'wrong', 'different'] as const;
export type RowKind = (typeof kinds)[number];

const right = new Set<CaseResultView['outcome']>(['hit', 'refused']);

export const isRight = (result: CaseResultView) => right.has(result.outcome);
export const isWrong = (result: CaseResultView) => !isRight(result) && result.outcome !== 'unjudged';
