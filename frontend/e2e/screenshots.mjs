/**
 * Takes every page at 390 and 1440 pixels, in English and Chinese, light and dark, for people to look at:
 * `npm run screenshots -- [folder]`. Set REFDESK_SHOTS="ask,document" to take only some.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  call,
  createAdministrator,
  newPage,
  sampleLibrary,
  startBrowser,
  startServer,
  until,
} from './harness.mjs';
import { lampPages, pdfOf } from './pdf.mjs';

const folder = process.argv[2] ?? join(tmpdir(), 'refdesk-screenshots');
const only = process.env.REFDESK_SHOTS ? process.env.REFDESK_SHOTS.split(',') : null;
await mkdir(folder, { recursive: true });

const server = await startServer();
const browser = await startBrowser();
try {
  const first = await newPage(browser, server.url);
  await first.goto(`/setup?token=${server.token}`);
  await first.getByLabel('Your name').waitFor();
  await first.screenshot({ path: join(folder, 'setup-1440-en-light.png') });
  await createAdministrator(first, server.token);
  const places = await prepare(first);
  const state = await first.context().storageState();
  for (const locale of ['en', 'zh']) {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1440, 390]) {
        const page = await newPage(browser, server.url, {
          storageState: state,
          locale: locale === 'zh' ? 'zh-CN' : 'en-GB',
          colorScheme,
          viewport: { width, height: width === 390 ? 844 : 900 },
          hasTouch: width === 390,
        });
        for (const [name, path, act] of places) {
          if (only && !only.includes(name)) continue;
          await page.goto(path);
          await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
          if (act) await act(page, width);
          await page.waitForTimeout(350);
          await page.screenshot({ path: join(folder, `${name}-${width}-${locale}-${colorScheme}.png`) });
        }
        if (page.problems.length > 0) console.log(width, locale, colorScheme, page.problems);
        await page.context().close();
      }
    }
  }
  console.log(`Screenshots are in ${folder}`);
} finally {
  await browser.close();
  await server.stop();
}

/** Fills the desk and returns [name, path, what to do before the picture]. */
async function prepare(page) {
  const base = await sampleLibrary(page);
  await page.request.post(`/api/v1/knowledge-bases/${base.id}/files`, {
    headers: { 'X-CSRF-Token': (await (await page.request.get('/api/v1/session')).json()).csrf_token },
    multipart: {
      files: { name: 'reading-lamps.pdf', mimeType: 'application/pdf', buffer: pdfOf(lampPages) },
    },
  });
  await page.request.post(`/api/v1/knowledge-bases/${base.id}/files`, {
    headers: { 'X-CSRF-Token': (await (await page.request.get('/api/v1/session')).json()).csrf_token },
    multipart: {
      files: { name: 'broken-scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 broken') },
    },
  });
  const documents = () => call(page, 'GET', `/knowledge-bases/${base.id}/documents?limit=100`);
  await until(
    async () => (await documents()).items.every((one) => ['ready', 'failed'].includes(one.state)),
    'documents',
  );
  const lamp = (await documents()).items.find((one) => one.name === 'reading-lamps.pdf');
  const paragraphs = (await call(page, 'GET', `/documents/${lamp.id}/paragraphs`)).items;
  await call(page, 'POST', '/knowledge-bases', { name: 'Empty shelf', description: 'Nothing here yet.' });
  const application = await call(page, 'POST', '/applications', {
    name: 'Help desk',
    description: 'Answers to what customers ask most: returns, error codes, the Beacon 200.',
    knowledge_base_ids: [base.id],
    settings: {
      opening_words: 'Ask about orders, returns and devices.',
      suggested_questions: base.suggested_questions.slice(0, 3),
    },
  });
  const ask = async (question, conversation) => {
    const run = await call(page, 'POST', '/runs', { question, conversation_id: conversation });
    await until(
      async () => !['queued', 'running'].includes((await call(page, 'GET', `/runs/${run.id}`)).state),
      'answer',
    );
    return run.conversation_id;
  };
  const thread = await ask(base.suggested_questions[0]);
  await ask(base.suggested_questions[1], thread);
  const lost = await ask('What is the airspeed velocity of an unladen swallow?');
  const hit = async (view) => {
    await view.getByRole('textbox').first().fill(base.suggested_questions[0]);
    await view.keyboard.press('Enter');
    await view.locator('article').first().waitFor();
  };
  return [
    ['welcome', '/welcome'],
    ['ask', '/ask'],
    ['ask-application', `/ask?application=${application.id}`],
    ['conversation', `/ask/${thread}`],
    ['not-found', `/ask/${lost}`],
    ['knowledge', '/knowledge'],
    ['base', `/knowledge/${base.id}`],
    ['hit-test', `/knowledge/${base.id}?tab=hit-test`, hit],
    ['base-settings', `/knowledge/${base.id}?tab=settings`],
    ['document', `/documents/${lamp.id}?paragraph=${paragraphs[1]?.id ?? paragraphs[0].id}`],
    ['applications', '/applications'],
    ['application', `/applications/${application.id}`],
    ['models', '/models'],
    ['model-drawer', '/models', (view) => view.locator('header button').last().click()],
    ['settings', '/settings'],
    ['members', '/settings?section=members'],
    ['keys', '/settings?section=keys'],
    ['users', '/settings?section=users'],
    ['audit', '/settings?section=audit'],
    ['palette', '/ask', (view) => view.keyboard.press('Control+k')],
    [
      'menu',
      '/ask',
      (view, width) => width === 390 && view.getByRole('button', { name: /^(Menu|菜单)$/ }).click(),
    ],
  ];
}
