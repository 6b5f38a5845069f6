/** What is wrong with a template, as the server judges it when it is saved. */
export const situations = ['knowledge', 'tools', 'both', 'empty'] as const;
export type Situation = (typeof situations)[number];

export interface TemplateFault {
  code: 'missing' | 'unknown';
  variables: string[];
}

const known: Record<Situation, string[]> = {
  knowledge: ['data', 'question'],
  tools: ['data', 'question'],
  both: ['data', 'question'],
  empty: ['question'],
};

/** Names in braces; braces around anything else are text. An empty template stands for the built-in one. */
export function faultsOf(situation: Situation, template: string): TemplateFault[] {
  if (template.trim() === '') return [];
  const used = [...new Set([...template.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name]) => name))];
  const missing = known[situation].filter((name) => !used.includes(name));
  const unknown = used.filter((name) => name !== undefined && !known[situation].includes(name)) as string[];
  const faults: TemplateFault[] = [];
  if (missing.length > 0) faults.push({ code: 'missing', variables: missing });
  if (unknown.length > 0) faults.push({ code: 'unknown', variables: unknown });
  return faults;
}
