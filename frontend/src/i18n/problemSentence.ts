/**
 * A sentence of the catalogue with the facts of one error. What stands in brackets is said only if all its facts
 * are known, and `[this|else that]` says the second otherwise: the same code comes with and without its facts.
 */

export interface Sentence {
  text: string;
  /** Facts that were put in. */
  facts: number;
}

const fact = /\{\{\s*(\w+)\s*\}\}/g;

/** Builds the sentence. `factOf` gives a fact as the reader writes it, or null if it is not known. */
export function problemSentence(template: string, factOf: (name: string) => string | null): Sentence {
  let facts = 0;
  const fill = (text: string) =>
    text.replace(fact, (_, name: string) => {
      facts += 1;
      return factOf(name) ?? '';
    });
  const isKnown = (text: string) => factNames(text).every((name) => factOf(name) !== null);
  const text = template.replace(/\[([^\]]*)\]/g, (_, inside: string) => {
    const [said = '', otherwise = ''] = inside.split('|');
    return isKnown(said) ? fill(said) : otherwise;
  });
  return { text, facts };
}

export const factNames = (template: string) => [...template.matchAll(fact)].map((match) => match[1] ?? '');
