/** Fails when the committed client is not what the generator makes of `openapi.json`. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { plugins } from '../openapi-ts.plugins.mjs';
import { withPlainLinks } from './plain-links.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const committed = join(root, 'src/api/generated');
const fresh = await mkdtemp(join(tmpdir(), 'refdesk-client-'));

async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [relative(folder, file), withPlainLinks(await readFile(file, 'utf8'))]),
    ),
  );
}

try {
  await createClient({
    input: join(root, 'openapi.json'),
    output: { path: fresh, clean: true },
    plugins,
    logs: { level: 'silent' },
  });
  const [now, then] = await Promise.all([filesOf(fresh), filesOf(committed)]);
  const names = new Set([...now.keys(), ...then.keys()]);
  const stale = [...names].filter((name) => now.get(name) !== then.get(name));
  if (stale.length > 0) {
    console.error(`The client is stale (${stale.join(', ')}): run \`npm run generate\`.`);
    process.exitCode = 1;
  } else console.log(`The client is fresh: ${names.size} files.`);
} finally {
  await rm(fresh, { recursive: true, force: true });
}
