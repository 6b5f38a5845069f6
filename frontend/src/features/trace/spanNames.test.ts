import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import en from '../../locales/en';
import zh from '../../locales/zh';
import { bareName } from './spanNames';

/** Every name of a stage or span that the server writes; a tool's call is named by its tool instead. */
const written = [
  'answer',
  'ask',
  'choose-tools',
  'clean',
  'decide',
  'empty',
  'evidence',
  'guidance',
  'intents',
  'memory',
  'rerank',
  'retrieve',
  'rewrite',
  'search:chosen',
  'search:directed',
  'search:global',
  'system',
  'tools',
];

const server = fileURLToPath(new URL('../../../../src/refdesk/chat/', import.meta.url));

function namesInSource(): string[] {
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.py'),
  );
  const source = files.map((file) => readFileSync(join(server, file), 'utf8')).join('\n');
  const found = (pattern: RegExp) => [...source.matchAll(pattern)].map((match) => match[1] ?? '');
  return [
    ...found(/\.(?:stage|span|skipped)\("([^"]+)"/g),
    ...found(/name: ClassVar\[StageName\] = "([^"]+)"/g),
    ...found(/^MEMORY_STAGE, \w+ = "([^"]+)"/gm),
    ...found(/_channel\(context, "([^"]+)"/g).map((name) => `search:${name}`),
  ];
}

test('the list is what the server writes', () => {
  expect([...new Set(namesInSource())].sort()).toEqual(written);
});

test.each(Object.entries({ en, zh }))('every part of a run has a name in %s', (_, words) => {
  const known: Record<string, string> = { ...words.trace.parts, ...words.stages };
  expect(written.filter((name) => !known[bareName(name)])).toEqual([]);
});

test('a tool keeps its own name', () => {
  expect(bareName('tool:order_status')).toBe('order_status');
  expect(bareName('choose-tools')).toBe('choose-tools');
});
