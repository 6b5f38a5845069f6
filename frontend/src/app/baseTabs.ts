/** The tabs of a knowledge base, as they stand in its address. */
export const baseTabs = [
  'documents',
  'questions',
  'terms',
  'graph',
  'sources',
  'hit-test',
  'settings',
] as const;
