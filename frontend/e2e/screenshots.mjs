/**
 * Takes every page at 390 and 1440 pixels, in English and Chinese, light and dark, for people to look at:
 * `npm run screenshots -- [folder]`. Set REFDESK_SHOTS="ask,document" to take only some.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { furnish, views } from './furnish.mjs';
import { createAdministrator, newPage, startBrowser, startServer } from './harness.mjs';
import { takeShots } from './shots.mjs';

const folder = process.argv[2] ?? join(tmpdir(), 'refdesk-screenshots');
const only = process.env.REFDESK_SHOTS?.split(',');
await mkdir(folder, { recursive: true });

const server = await startServer();
const browser = await startBrowser();
try {
  const first = await newPage(browser, server.url);
  await first.goto(`/setup?token=${server.token}`);
  await first.getByLabel('Your name').waitFor();
  await first.screenshot({ path: join(folder, 'setup-1440-en-light.png') });
  await createAdministrator(first, server.token);
  const wanted = views(await furnish(first)).filter(([name]) => !only || only.includes(name));
  const state = await first.context().storageState();
  await takeShots(browser, server.url, state, wanted, folder);
  await takeShots(browser, server.url, undefined, [['sign-in', '/sign-in']], folder);
  console.log(`Screenshots are in ${folder}`);
} finally {
  await browser.close();
  await server.stop();
}
