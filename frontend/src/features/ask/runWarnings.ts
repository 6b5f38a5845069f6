import type { WarningOut } from '../../api/generated/types.gen';

/** Told by the page in other ways: the scores below the answer, the banner that no model is connected. */
const toldElsewhere = new Set(['nothing-found', 'no-language-model']);

/**
 * The sentences to show, each once, in order: five citations that were taken out are one thing to know where the
 * page says the same of each, but of two tools that failed each is named.
 */
export function warningsToShow(
  warnings: readonly WarningOut[],
  textOf: (warning: WarningOut) => string,
): string[] {
  return [...new Set(warnings.filter(({ code }) => !toldElsewhere.has(code)).map(textOf))];
}
