/**
 * Holds the texts of errors against the server's list of codes (docs/reference/error-codes.md): every code has
 * Chinese words, and a Chinese hint where the server has one; a fact that a text names is one the server gives.
 * English comes from the server, so the English catalogue has only texts that say facts, or are the page's own.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const list = fileURLToPath(new URL('../../docs/reference/error-codes.md', import.meta.url));
/** The server's own sentence and hint, which every problem may have. */
const always = ['message', 'hint'];
/** What the page itself reports. */
const ofThePage = new Set(['unknown', 'network', 'cancelled', 'page-error']);
/** Told by the server's border, outside the errors' classes. */
const atTheBorder = new Map([['too-large', ['max_bytes']]]);
/** Lines of a list of terms that are left out, and warnings of a search: no errors, so not in the list. */
const told = new Map([
  ['rerank-failed', []],
  ['reranker-unusable', []],
  ['term-line-columns', []],
  ['term-line-repeated', ['line']],
  ['term-line-unreadable', []],
]);

/** The codes with their hint and the keys of their details. */
async function serverCodes() {
  const codes = new Map();
  for (const line of (await readFile(list, 'utf8')).split('\n')) {
    const row = /^\| `([^`]+)` \| \d+ \| (.*) \| ?(.*) \|$/.exec(line);
    if (!row) continue;
    const [, code, meaning, details] = row;
    codes.set(code, {
      hasHint: /\*[^*]+\*$/.test(meaning.replaceAll(/`[^`]*`/g, 'x').trim()),
      details: [...`${details} ${meaning}`.matchAll(/`(?:details\.)?(\w+)`/g)].map((match) => match[1]),
    });
  }
  if (codes.size < 100) throw new Error(`${list} could not be read: ${codes.size} codes`);
  return codes;
}

/** The texts of a section by code. */
const section = (texts, name) =>
  new Map(
    [...texts]
      .filter(([key]) => key.startsWith(`${name}.`))
      .map(([key, text]) => [key.slice(name.length + 1), text]),
  );

export async function problemFaults(en, zh) {
  const faults = [];
  const codes = await serverCodes();
  const words = section(zh, 'problems');
  const hints = section(zh, 'problemHints');
  for (const [code, { hasHint }] of codes) {
    if (!words.has(code)) faults.push(`zh problems lack ${code}`);
    if (hasHint && !hints.has(code)) faults.push(`zh problemHints lack ${code}`);
  }
  for (const [language, texts] of [
    ['en', section(en, 'problems')],
    ['zh', words],
  ]) {
    for (const [code, text] of texts) {
      if (ofThePage.has(code)) continue;
      const known = told.get(code) ?? codes.get(code)?.details;
      if (!known) {
        faults.push(`${language} problems.${code}: the server has no such code`);
        continue;
      }
      const facts = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1]);
      for (const fact of facts) {
        if (![...known, ...always, ...(atTheBorder.get(code) ?? [])].includes(fact))
          faults.push(`${language} problems.${code}: the server does not tell “${fact}”`);
      }
      if (/\{\{/.test(text.replaceAll(/\[[^\]]*\]/g, '')))
        faults.push(`${language} problems.${code}: a fact stands outside brackets, and may be unknown`);
      if (language === 'en' && facts.length === 0)
        faults.push(`en problems.${code} says no fact: the server's own words are shown`);
    }
  }
  for (const code of hints.keys()) {
    if (!words.has(code)) faults.push(`zh problemHints.${code} belongs to no problem`);
  }
  return faults;
}
