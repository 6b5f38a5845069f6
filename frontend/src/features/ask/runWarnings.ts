import type { WarningOut } from '../../api/generated/types.gen';

/** Told by the page in other ways: the scores below the answer, the banner that no model is connected. */
const toldElsewhere = new Set(['nothing-found', 'no-language-model']);

/** One of each kind, in order: five citations that were taken out are one thing to know. */
export function warningsToShow(warnings: readonly WarningOut[]): WarningOut[] {
  const seen = new Set(toldElsewhere);
  return warnings.filter(({ code }) => !seen.has(code) && seen.add(code));
}
