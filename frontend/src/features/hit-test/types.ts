import type { RunTestSet } from '../../api/generated/types.gen';

/** Everything of a search but the question and where. */
export type SearchSettings = Omit<RunTestSet, 'knowledge_base_ids'>;
