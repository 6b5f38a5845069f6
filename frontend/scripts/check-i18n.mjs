/**
 * Holds the catalogues: both languages have the same keys (plural forms apart) and the same placeholders,
 * every key is used, and no component carries text of its own. The server words its errors and warnings in
 * English itself, so those sections need no English entry.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';
import { problemFaults } from './problem-texts.mjs';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const faults = [];

async function filesIn(folder, keep) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(keep)
    .sort();
}

// --- the catalogues
function flatten(value, prefix, into) {
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'string') into.set(`${prefix}.${key}`, child);
    else flatten(child, `${prefix}.${key}`, into);
  }
  return into;
}

async function catalogue(language) {
  const texts = new Map();
  for (const file of await filesIn(join(src, 'locales', language), (name) => name.endsWith('.json'))) {
    const section = relative(join(src, 'locales', language), file).replace('.json', '');
    flatten(JSON.parse(await readFile(file, 'utf8')), section, texts);
  }
  return texts;
}

const plural = /_(zero|one|two|few|many|other)$/;
const stem = (key) => key.replace(plural, '');
const placeholders = (text) => [...text.matchAll(/\{\{\s*(\w+)/g)].map((match) => match[1]).sort();
const [en, zh] = await Promise.all([catalogue('en'), catalogue('zh')]);
const stems = new Set([...en.keys()].map(stem));
for (const key of stems) {
  if (![...zh.keys()].some((other) => stem(other) === key)) faults.push(`zh lacks ${key}`);
}
for (const [key, text] of zh) {
  if (!stems.has(stem(key)) && !/^(problems|problemHints|warnings)\./.test(key))
    faults.push(`en lacks ${key}`);
  const english = en.get(key) ?? en.get(stem(key));
  // Which facts an error tells is held against the server's list below: the English words may be the server's.
  if (english && !key.startsWith('problems.') && placeholders(english).join() !== placeholders(text).join()) {
    faults.push(`${key} has other placeholders in zh than in en`);
  }
  if (text.trim() === '') faults.push(`zh ${key} is empty`);
}
for (const [key, text] of en) if (text.trim() === '') faults.push(`en ${key} is empty`);
for (const key of en.keys()) {
  if (key.endsWith('_one') && !en.has(key.replace(/_one$/, '_other'))) faults.push(`en ${key} lacks _other`);
}

faults.push(...(await problemFaults(en, zh)));

// --- the components
const spoken = new Set(['label', 'placeholder', 'title', 'description', 'alt', 'aria-label', 'text', 'note']);
const letters = /\p{L}{2,}/u;
const han = /\p{Script=Han}/u;
const used = new Set();
const usedPrefixes = new Set();

function walk(node, visit) {
  if (!node || typeof node.type !== 'string') return;
  visit(node);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const child of value) walk(child, visit);
    else if (value && typeof value === 'object' && typeof value.type === 'string') walk(value, visit);
  }
}

const components = await filesIn(
  src,
  (name) => /\.tsx?$/.test(name) && !/\.test\.|\/generated\/|\/locales\//.test(name),
);
for (const file of components) {
  const name = relative(src, file);
  const code = await readFile(file, 'utf8');
  const tree = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  walk(tree, (node) => {
    if (node.type === 'JSXText' && letters.test(node.value)) {
      faults.push(`${name}: text in a component: ${JSON.stringify(node.value.trim())}`);
    }
    if (node.type === 'JSXAttribute' && spoken.has(node.name.name) && node.value?.type === 'Literal') {
      if (letters.test(node.value.value))
        faults.push(`${name}: text in ${node.name.name}: ${node.value.value}`);
    }
    if (node.type === 'Literal' && typeof node.value === 'string') {
      if (han.test(node.value)) faults.push(`${name}: Chinese text in a string: ${node.value}`);
      if (/^[a-zA-Z]+(\.[\w-]+)+$/.test(node.value)) used.add(node.value);
    }
    if (node.type === 'TemplateLiteral' && node.expressions.length > 0) {
      const start = node.quasis[0].value.cooked ?? '';
      if (/^[a-zA-Z]+\./.test(start)) usedPrefixes.add(start);
    }
  });
}
// Looked up by the names the server gives: see i18n/useWordFor.ts.
for (const section of [
  'knowledge.failedStages.',
  'notices.',
  'problems.',
  'reasons.',
  'stages.',
  'models.yaml.faults.',
  'policies.faults.',
  'strategies.',
  'tools.faults.',
  'trace.dropped.',
  'trace.parts.',
  'trace.roles.',
  'warnings.',
])
  usedPrefixes.add(section);
for (const key of stems) {
  if (!used.has(key) && ![...usedPrefixes].some((start) => key.startsWith(start))) {
    faults.push(`${key} is not used`);
  }
}

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else
  console.log(`Catalogues are complete: ${stems.size} texts in 2 languages, ${components.length} files.`);
