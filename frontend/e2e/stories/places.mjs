import { call } from '../harness.mjs';

/** Every page with something on it, as [name, path]. */
export async function places(page, desk) {
  const documents = await call(page, 'GET', `/knowledge-bases/${desk.base}/documents?limit=50`);
  const pdf = documents.items.find((one) => one.name === 'reading-lamps.pdf');
  const conversations = await call(page, 'GET', '/conversations?limit=20');
  const applications = await call(page, 'GET', '/applications?limit=20');
  const models = await call(page, 'GET', '/models?kind=EMBEDDING');
  const lamp = conversations.items.find((one) => one.title.includes('QX-77')) ?? conversations.items[0];
  return [
    ['welcome', '/welcome'],
    ['ask', '/ask'],
    ['conversation', `/ask/${lamp.id}`],
    ['knowledge', '/knowledge'],
    ['base', `/knowledge/${desk.base}`],
    ['questions', `/knowledge/${desk.base}?tab=questions`],
    ['sources', `/knowledge/${desk.base}?tab=sources`],
    ['preview', `/knowledge/${desk.base}/preview`],
    ['hit test', `/knowledge/${desk.base}?tab=hit-test`],
    ['base settings', `/knowledge/${desk.base}?tab=settings`],
    ['document', `/documents/${pdf.id}`],
    ['versions', `/documents/${pdf.id}?panel=versions`],
    ['details', `/documents/${pdf.id}?panel=details`],
    ['splitting', `/documents/${pdf.id}?panel=split`],
    ['applications', '/applications'],
    ['new application', '/applications/new'],
    ['application', `/applications/${applications.items[0].id}`],
    ['tools', '/tools'],
    ['all tools', '/tools?tab=all'],
    ['models', '/models'],
    ['model', `/models/${models.items[0].id}`],
    ...['overview', 'limits', 'prices', 'caches'].map((tab) => [`usage: ${tab}`, `/usage?tab=${tab}`]),
    ...['profile', 'members', 'groups', 'keys', 'sources', 'workspaces', 'users', 'audit'].map((section) => [
      section,
      `/settings?section=${section}`,
    ]),
  ];
}

export async function open(page, path) {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 2500 }).catch(() => undefined);
}
