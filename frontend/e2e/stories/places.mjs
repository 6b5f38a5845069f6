import { call } from '../harness.mjs';

/** Well-formed, and the id of nothing. */
const nothing = '00000000-0000-0000-0000-000000000000';

/** The application's tree of intents and a test set of the base, made unless an earlier call did. */
async function prepared(page, base, application, pdf) {
  const path = `/applications/${application}/intents`;
  if ((await call(page, 'GET', path)).items.length === 0) {
    const domain = await call(page, 'POST', path, { code: 'lamps', name: 'Lamps 灯具' });
    await call(page, 'POST', path, {
      code: 'lamps.repair',
      name: 'Repairs',
      description: 'A lamp that is broken, flickers or stays dark.',
      examples: ['My lamp flickers. What can I do?'],
      knowledge_base_ids: [base],
      parent_id: domain.id,
    });
  }
  const sets = await call(page, 'GET', '/test-sets');
  return (
    sets.items[0] ??
    call(page, 'POST', '/test-sets', {
      name: 'Lamps',
      knowledge_base_ids: [base],
      questions: [{ question: 'How bright is the lamp?', documents: [pdf.id] }],
    })
  );
}

/** Every page with something on it, as [name, path]. */
export async function places(page, desk) {
  const documents = await call(page, 'GET', `/knowledge-bases/${desk.base}/documents?limit=50`);
  const pdf = documents.items.find((one) => one.name === 'reading-lamps.pdf');
  const conversations = await call(page, 'GET', '/conversations?limit=20');
  const applications = await call(page, 'GET', '/applications?limit=20');
  const models = await call(page, 'GET', '/models?kind=EMBEDDING');
  const lamp = conversations.items.find((one) => one.title.includes('QX-77')) ?? conversations.items[0];
  const application = applications.items[0].id;
  const [run] = (await call(page, 'GET', `/conversations/${lamp.id}`)).runs;
  const set = await prepared(page, desk.base, application, pdf);
  return [
    ['welcome', '/welcome'],
    ['ask', '/ask'],
    ['conversation', `/ask/${lamp.id}`],
    ['knowledge', '/knowledge'],
    ['base', `/knowledge/${desk.base}`],
    ['questions', `/knowledge/${desk.base}?tab=questions`],
    ['terms', `/knowledge/${desk.base}?tab=terms`],
    ['graph', `/knowledge/${desk.base}?tab=graph`],
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
    ['application', `/applications/${application}`],
    ['intents', `/applications/${application}/intents`],
    ['trace', `/trace/${run.id}`],
    ['test sets', '/test-sets'],
    ['test set', `/test-sets/${set.id}`],
    ['tools', '/tools'],
    ...['python', 'http', 'all'].map((tab) => [`tools: ${tab}`, `/tools?tab=${tab}`]),
    ['skills', '/skills'],
    ['models', '/models'],
    ['model', `/models/${models.items[0].id}`],
    ['policies', '/models/health'],
    ...['overview', 'limits', 'prices', 'caches'].map((tab) => [`usage: ${tab}`, `/usage?tab=${tab}`]),
    ...['profile', 'members', 'groups', 'keys', 'sources', 'workspaces', 'users', 'secrets', 'audit'].map(
      (section) => [section, `/settings?section=${section}`],
    ),
    ...['ask', 'trace', 'knowledge', 'documents', 'applications', 'models'].map((room) => [
      `unknown: ${room}`,
      `/${room}/${nothing}`,
    ]),
    ['malformed', '/trace/none'],
    ['nowhere', '/nowhere'],
  ];
}

export async function open(page, path) {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 2500 }).catch(() => undefined);
}
