/** Takes the addresses of package pages out of the generated client: no file of ours names a registry. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const PACKAGE_PAGE = /(\{@link )https:\/\/[^/\s]+\/package\//g;

/** The generated text as it is committed. */
export const withPlainLinks = (text) => text.replace(PACKAGE_PAGE, '$1');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL('../src/api/generated/client/types.gen.ts', import.meta.url));
  await writeFile(path, withPlainLinks(await readFile(path, 'utf8')));
}
