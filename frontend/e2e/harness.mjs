/**
 * Starts the real server on a free loopback port with a data folder of its own, and Debian's Chromium.
 * Both are ended by the test that started them.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Longer than any step takes on a busy machine of two cores; a step that works does not wait for it. */
const patience = 90_000;

export const administrator = {
  name: 'Ada Lindqvist',
  email: 'ada@example.org',
  password: 'lamp-and-paper-7',
};

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

export async function startServer() {
  const dataDir = await mkdtemp(join(tmpdir(), 'refdesk-e2e-'));
  const port = await freePort();
  const command = process.env.REFDESK_COMMAND ?? join(root, '.venv/bin/refdesk');
  const child = spawn(command, ['serve', '--port', String(port)], {
    cwd: root,
    env: {
      ...process.env,
      REFDESK_DATA_DIR: dataDir,
      REFDESK_HOST: '127.0.0.1',
      REFDESK_CRAWL_PRIVATE_ADDRESSES: 'true',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const ready = new Promise((resolve, reject) => {
    const look = (chunk) => {
      output += chunk;
      const address = /https?:\/\/\S+\/setup\?token=(\S+)/.exec(output);
      if (address) resolve(address[1]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`refdesk serve ended with ${code}:\n${output}`)));
    setTimeout(
      () => reject(new Error(`refdesk serve is not ready after 240 s:\n${output}`)),
      240_000,
    ).unref();
  });
  const token = await ready;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    output: () => output,
    async stop() {
      child.kill('SIGINT');
      const slow = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await gone;
      clearTimeout(slow);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  });
}

export async function newPage(browser, url, options = {}) {
  if (options.storageState === null) throw new Error('Set-up did not succeed, so nobody is signed in.');
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-GB',
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A refused request is part of several tests; everything else on the console is a fault of the page.
    if (message.type() === 'error' && !message.text().includes('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  page.problems = problems;
  return page;
}

export async function createAdministrator(page, token) {
  await page.goto(`/setup?token=${token}`);
  await page.getByLabel('Your name').fill(administrator.name);
  await page.getByLabel('Email').fill(administrator.email);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Create administrator' }).click();
  await page.waitForURL('**/welcome');
}

export async function signIn(page) {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(administrator.email);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/ask');
}

/** A call with the cookies of the page's context: to prepare what a test is not about. */
export async function call(page, method, path, data) {
  const session = await (await page.request.get('/api/v1/session')).json();
  const response = await page.request.fetch(`/api/v1${path}`, {
    method,
    data,
    headers: { 'X-CSRF-Token': session.csrf_token },
  });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return response.status() === 204 ? null : response.json();
}

export async function until(check, what, timeoutMs = 240_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`Timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

export async function sampleLibrary(page) {
  const base = await call(page, 'POST', '/sample-library');
  await until(async () => {
    const { counts } = await call(page, 'GET', `/knowledge-bases/${base.id}`);
    return counts.documents > 0 && counts.states.ready === counts.documents;
  }, 'the sample library is ready');
  return base;
}
