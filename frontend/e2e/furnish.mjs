/**
 * Fills a fresh desk with what pages look like in use: people and keys, bases full, failed and empty, threads
 * with and without a model, so that screenshots and checks meet every state. Returns ids; `views` names pages.
 */
import { connectSources, externalViews } from './external.mjs';
import { call, sampleLibrary, until } from './harness.mjs';
import { lockedPdf } from './locked.mjs';
import { startModel } from './model.mjs';
import { lampPages, pdfOf } from './pdf.mjs';
import { startSite } from './site.mjs';

const longName =
  'Quarterly report on the condition, insurance and lending of reading lamps, third edition (final, reviewed).md';

function longDocument() {
  const parts = ['# House rules of the reading room\n'];
  for (let rule = 1; rule <= 240; rule += 1) {
    parts.push(`## Rule ${rule}: ${rule % 2 ? 'Quiet' : 'Light'} at desk ${rule}\n`);
    parts.push(
      `At desk ${rule} the lamp is lit from eight to ten. Readers speak softly, keep ink away from the books and ` +
        `return volume ${1000 + rule} to the shelf it came from. 第 ${rule} 号桌的读者须保持安静，离开时关灯。\n`,
    );
  }
  return parts.join('\n');
}

/** One file as the part `field` of a form. */
export async function sendFile(page, path, name, mimeType, content, field = 'file') {
  const session = await (await page.request.get('/api/v1/session')).json();
  const response = await page.request.post(`/api/v1${path}`, {
    headers: { 'X-CSRF-Token': session.csrf_token },
    multipart: { [field]: { name, mimeType, buffer: Buffer.from(content) } },
  });
  if (!response.ok()) throw new Error(`${name}: ${response.status()} ${await response.text()}`);
}

export async function sendFiles(page, path, files) {
  for (const [name, mimeType, content] of files) {
    await sendFile(page, path, name, mimeType, content, 'files');
  }
}

async function asked(page, question, conversation, more = {}) {
  const run = await call(page, 'POST', '/runs', { question, conversation_id: conversation, ...more });
  await until(
    async () => !['queued', 'running'].includes((await call(page, 'GET', `/runs/${run.id}`)).state),
    'answer',
  );
  return run.conversation_id;
}

const manual = [
  '# Lamp manual',
  '## Filling\n\nFill the lamp with rapeseed oil to the second ring, never to the brim.',
  '## Wicks\n\nA wick lasts for forty nights. 灯芯可使用四十个夜晚。',
];

/** What paragraphs hold as Markdown: a table, a list, emphasis, code whose spaces matter. */
const stock = [
  '# Stock of lamps 灯具库存',
  'Counted by **two people** on the first of the month:\n\n- shelves from left to right,\n- boxes *unopened*.',
  `| Model | Shelf | Bergen | Trondheim | Ordered |\n| --- | --- | --- | --- | --- |\n${[
    100, 200, 300, 400, 500, 600,
  ]
    .map((n) => `| Beacon ${n} | A-${n} | ${n / 10} | ${n / 20} | 2026-0${n / 100}-01 |`)
    .join('\n')}`,
  '```ini\nmodel     = Beacon 200   # as on the label\nreorder   = 12           # lamps\n  contact = stock@example.org\n```',
].join('\n\n');

const stockQuestion = 'How many lamps of the model Beacon 200 are on the shelf in Bergen?';

/** Lets the page meet documents that are still on their way, which are soon ready on a fast machine. */
const busy = (view, path, change) =>
  view.route(path, async (route) => {
    const response = await route.fetch().catch(() => null);
    if (response === null) return route.abort(); // the page was left meanwhile
    await route.fulfill({ response, json: change(await response.json()) });
  });

/** A document with two versions, a protected one, previews, questions and a web site that has been read. */
async function inDepth(page, base, empty) {
  const path = `/knowledge-bases/${base.id}`;
  await sendFiles(page, `${path}/files`, [
    ['lamp-manual.md', 'text/markdown', manual.join('\n\n')],
    ['locked.pdf', 'application/pdf', lockedPdf],
    ['lamp-stock.md', 'text/markdown', stock],
  ]);
  await sendFiles(page, `${path}/qa-files`, [
    [
      'faq.csv',
      'text/csv',
      'title,content,questions\nUmbrellas,Wet umbrellas hang by the door.,"Where do umbrellas go?\nMay I bring one?"\n',
    ],
  ]);
  await sendFiles(page, `/knowledge-bases/${empty.id}/drafts`, [
    ['reading-lamps.pdf', 'application/pdf', pdfOf(lampPages)],
    ['house-rules.md', 'text/markdown', longDocument()],
  ]);
  const named = async (name) =>
    (await call(page, 'GET', `${path}/documents?limit=100`)).items.find((one) => one.name === name);
  const settled = (one) => ['ready', 'failed'].includes(one?.state);
  await until(
    async () =>
      settled(await named('lamp-manual.md')) &&
      settled(await named('locked.pdf')) &&
      settled(await named('lamp-stock.md')),
    'files',
  );
  const { id } = await named('lamp-manual.md');
  const session = await (await page.request.get('/api/v1/session')).json();
  const changed = [...manual, '## Shades\n\nGreen glass only.']
    .join('\n\n')
    .replace('forty nights', 'ninety nights');
  await page.request.post(`/api/v1/documents/${id}/file`, {
    headers: { 'X-CSRF-Token': session.csrf_token },
    multipart: { file: { name: 'lamp-manual.md', mimeType: 'text/markdown', buffer: Buffer.from(changed) } },
  });
  await until(async () => (await call(page, 'GET', `/documents/${id}`)).version === 2, 'the second version');
  const site = await startSite();
  const source = await call(page, 'POST', `${path}/sources`, {
    kind: 'website',
    name: 'Lamp guide',
    interval_hours: 24,
    config: { url: site.url },
  });
  await until(
    async () => !['queued', 'running'].includes((await call(page, 'GET', `/sources/${source.id}`)).state),
    'the web site',
  );
  await site.stop();
  await call(page, 'POST', `${path}/terms`, { word: 'Beacon 200', synonyms: ['reading lamp', '台灯'] });
  await call(page, 'POST', `${path}/folders`, { name: 'Contracts' });
  const set = await call(page, 'POST', '/test-sets', {
    name: 'Before publishing',
    knowledge_base_ids: [base.id],
    questions: [{ question: 'How long does a wick last?', documents: [id] }],
  });
  const drafts = (await call(page, 'GET', `/knowledge-bases/${empty.id}/drafts`)).items;
  return {
    manual: id,
    locked: (await named('locked.pdf')).id,
    set: set.id,
    draft: drafts.find((one) => one.name.endsWith('.pdf')).id,
  };
}

/** A thread answered by a model that cites what it was not given and adds what no passage says. */
async function threadWithModel(page, base) {
  const model = await startModel();
  const words =
    'A return is accepted within 30 days of delivery [1]. The **Beacon 200** is named in the manual [9]. ' +
    'It was designed in Trondheim by 77 engineers.\n\n| Step | Where |\n|---|---|\n| Form | Online [2] |\n\n```\nRMA-2024\n```';
  Object.assign(model.script, { words: [words], pauseMs: 0 });
  const connected = await call(page, 'POST', '/models', {
    kind: 'LLM',
    name: 'lamp-1',
    model_name: 'lamp-1',
    base_url: model.url,
    api_key: 'sk-story-1234567890',
  });
  const thread = await asked(page, base.suggested_questions[0]);
  await call(page, 'DELETE', `/models/${connected.id}`);
  await model.stop();
  return thread;
}

async function intents(page, application, base) {
  const path = `/applications/${application}/intents`;
  const domain = await call(page, 'POST', path, { code: 'orders', name: 'Orders and returns' });
  await call(page, 'POST', path, {
    code: 'orders.returns',
    name: '退货与换货',
    description: 'Sending goods back: how long, in what state, who pays.',
    examples: ['May I send the lamp back?', '退货期限是多久？'],
    knowledge_base_ids: [base],
    parent_id: domain.id,
  });
  await call(page, 'POST', path, {
    code: 'greeting',
    name: 'Greetings',
    kind: 1,
    reply: 'Good day. Ask about orders, returns and devices.',
    examples: ['Hello'],
  });
}

async function people(page) {
  await call(page, 'POST', '/invitations', { email: 'vera.lindholm@example.org', role: 'editor' });
  const users = [
    ['wang.xiaoming@example.org', '王小明'],
    [
      'a.very.long.address.of.a.person@department.of.reading.example.org',
      'Maximiliane Konstantinopolitanska',
    ],
  ];
  for (const [email, name] of users)
    await call(page, 'POST', '/invitations', { email, name, role: 'viewer' });
  const members = (await call(page, 'GET', '/members')).items;
  for (const name of ['Librarians', '采购部', 'Night shift']) {
    const group = await call(page, 'POST', '/groups', { name });
    if (name !== 'Night shift')
      for (const one of members.slice(0, 3))
        await call(page, 'PUT', `/groups/${group.id}/members/${one.user_id}`);
  }
  await call(page, 'POST', '/api-keys', { name: 'Nightly report', scopes: ['read', 'ask'] });
  await call(page, 'POST', '/api-keys', {
    name: '官网客服',
    scopes: ['ask'],
    expires_at: '2027-06-01T00:00:00Z',
  });
  return call(page, 'POST', '/workspaces', { name: 'Branch library' });
}

export async function furnish(page) {
  const base = await sampleLibrary(page);
  await sendFiles(page, `/knowledge-bases/${base.id}/files`, [
    ['reading-lamps.pdf', 'application/pdf', pdfOf(lampPages)],
    ['broken-scan.pdf', 'application/pdf', '%PDF-1.4 broken'],
    [longName, 'text/markdown', '# Lamps\n\nForty lamps were counted.\u0000 None is missing.\n'],
    ['house-rules.md', 'text/markdown', longDocument()],
  ]);
  const documents = () => call(page, 'GET', `/knowledge-bases/${base.id}/documents?limit=100`);
  await until(
    async () => (await documents()).items.every((one) => ['ready', 'failed'].includes(one.state)),
    'documents',
  );
  const named = async (name) => (await documents()).items.find((one) => one.name === name);
  const lamp = await named('reading-lamps.pdf');
  const rules = await named('house-rules.md');
  const broken = await named('broken-scan.pdf');
  const cited = (await call(page, 'GET', `/documents/${lamp.id}/paragraphs`)).items;
  const ruled = (await call(page, 'GET', `/documents/${rules.id}/paragraphs?limit=5`)).items;
  await call(page, 'PATCH', `/paragraphs/${ruled[1].id}`, {
    content: `${ruled[1].content} Edited by hand.`,
    revision: ruled[1].revision,
  });
  await call(page, 'PATCH', `/paragraphs/${ruled[2].id}`, { is_active: false });
  const empty = await call(page, 'POST', '/knowledge-bases', {
    name: 'Empty shelf',
    description: 'Nothing here yet.',
  });
  await call(page, 'POST', '/knowledge-bases', {
    name: '政府采购与招投标管理规章制度汇编（二〇二六年修订版）',
    description: '收录历年采购、招标、合同管理方面的规章、流程与模板，供各部门查阅。',
  });
  const application = await call(page, 'POST', '/applications', {
    name: 'Help desk',
    description: 'Answers to what customers ask most: returns, error codes, the Beacon 200.',
    knowledge_base_ids: [base.id],
    settings: {
      opening_words: 'Ask about orders, returns and devices.',
      suggested_questions: base.suggested_questions.slice(0, 3),
    },
  });
  await intents(page, application.id, base.id);
  const depth = await inDepth(page, base, empty);
  const thread = await asked(page, base.suggested_questions[0]);
  await asked(page, base.suggested_questions[1], thread);
  const lost = await asked(page, 'What is the airspeed velocity of an unladen swallow?');
  const counted = await asked(page, stockQuestion);
  const written = await threadWithModel(page, base);
  const branch = await people(page);
  await connectSources(page);
  return {
    ...depth,
    base: base.id,
    question: base.suggested_questions[0],
    run: (await call(page, 'GET', `/conversations/${thread}`)).runs[0].id,
    empty: empty.id,
    lamp: lamp.id,
    rules: rules.id,
    broken: broken.id,
    paragraph: (cited[1] ?? cited[0]).id,
    application: application.id,
    thread,
    lost,
    written,
    counted,
    branch: branch.id,
  };
}

/** [name, path, what to do before the picture, the workspace if it is not the first]. */
export function views(ids) {
  const hit = async (view) => {
    await view.getByRole('textbox').first().fill(ids.question);
    await view.keyboard.press('Enter');
    await view.locator('article').first().waitFor();
  };
  const press = (name) => (view) => view.getByRole('button', { name }).first().click();
  return [
    ['welcome', '/welcome'],
    ['ask', '/ask'],
    ['ask-application', `/ask?application=${ids.application}`],
    ['conversation', `/ask/${ids.thread}`],
    ['written', `/ask/${ids.written}`],
    ['not-found', `/ask/${ids.lost}`],
    ['knowledge', '/knowledge'],
    ['new-base', '/knowledge', press(/^(New knowledge base|新建知识库)$/)],
    ['base', `/knowledge/${ids.base}`],
    ['base-empty', `/knowledge/${ids.empty}`],
    ['questions', `/knowledge/${ids.base}?tab=questions`],
    ['terms', `/knowledge/${ids.base}?tab=terms`],
    [
      'access',
      `/knowledge/${ids.base}`,
      async (view) => {
        await view
          .getByRole('button', { name: /lamp-manual\.md/ })
          .last()
          .click();
        await view.getByRole('menuitem', { name: /^(Who may see this|谁可以查看)/ }).click();
      },
    ],
    ['graph', `/knowledge/${ids.base}?tab=graph`],
    [
      'intents',
      `/applications/${ids.application}/intents`,
      (view) => view.getByText('退货与换货').first().click(),
    ],
    ['trace', `/trace/${ids.run}`],
    ['tools', '/tools'],
    ['tools-all', '/tools?tab=all'],
    ['skills', '/skills', press(/skill-creator/)],
    ['policies', '/models/health'],
    ...['overview', 'limits', 'prices', 'caches'].map((tab) => [`usage-${tab}`, `/usage?tab=${tab}`]),
    ['trace-missing', '/trace/00000000-0000-0000-0000-000000000000'],
    ['trace-malformed', '/trace/none'],
    ['application-missing', '/applications/00000000-0000-0000-0000-000000000000'],
    ['test-sets', '/test-sets'],
    ['test-set', `/test-sets/${ids.set}`],
    ['sources', `/knowledge/${ids.base}?tab=sources`],
    ['website', `/knowledge/${ids.base}?tab=sources`, press(/^(Add a web site|添加网站)$/)],
    ['preview', `/knowledge/${ids.empty}/preview`],
    ['preview-pdf', `/knowledge/${ids.empty}/preview?document=${ids.draft}`],
    ['hit-test', `/knowledge/${ids.base}?tab=hit-test`, hit],
    [
      'hit-test-tables',
      `/knowledge/${ids.base}?tab=hit-test`,
      async (view, width) => {
        await busy(view, '**/api/v1/hit-test', (found) => ({ ...found, unready: 2 }));
        await view.getByRole('textbox').first().fill(stockQuestion);
        await view.keyboard.press('Enter');
        await view.locator('article').first().waitFor();
        if (width === 390) await view.locator('article').first().scrollIntoViewIfNeeded();
        await view.unroute('**/api/v1/hit-test');
      },
    ],
    [
      'citation-table',
      `/ask/${ids.counted}`,
      async (view, width) => {
        await busy(view, '**/api/v1/conversations/*', (thread) => ({
          ...thread,
          runs: thread.runs.map((run) => ({
            ...run,
            retrieval: { ...run.retrieval, unready: 3 },
            warnings: [...run.warnings, { code: 'still-indexing', message: 'told by the page' }],
          })),
        }));
        await view.reload();
        const chip = view.getByRole('link', { name: /^(Citation|引用)/ }).first();
        await chip.waitFor();
        if (width !== 390) await chip.hover();
        await view.waitForTimeout(500);
        await view.unroute('**/api/v1/conversations/*');
      },
    ],
    ['document-menu', `/documents/${ids.manual}`, press(/lamp-manual\.md/)],
    [
      'selected',
      `/knowledge/${ids.base}`,
      async (view) => {
        for (const n of [1, 2]) await view.getByRole('checkbox').nth(n).check();
      },
    ],
    ['base-settings', `/knowledge/${ids.base}?tab=settings`],
    ['document', `/documents/${ids.lamp}?paragraph=${ids.paragraph}`],
    ['document-long', `/documents/${ids.rules}`],
    ['document-failed', `/documents/${ids.broken}`],
    ['versions', `/documents/${ids.manual}?panel=versions`],
    ['diff', `/documents/${ids.manual}?from=1&to=2`],
    ['past', `/documents/${ids.manual}?version=1`],
    ['details', `/documents/${ids.manual}?panel=details`],
    ['splitting', `/documents/${ids.manual}?panel=split`],
    ['locked', `/documents/${ids.locked}`],
    ['document-missing', '/documents/00000000-0000-0000-0000-000000000000'],
    ['applications', '/applications'],
    ['application', `/applications/${ids.application}`],
    ['application-new', '/applications/new'],
    ['models', '/models'],
    ['model-drawer', '/models', press(/^(Add a model|添加模型|接入模型)$/)],
    ...['profile', 'members', 'groups', 'keys', 'workspaces', 'users', 'audit'].map((section) => [
      section,
      `/settings?section=${section}`,
    ]),
    ...externalViews(ids.branch),
    ['invite', '/settings?section=members', press(/^(Invite someone|邀请成员)$/)],
    ['palette', '/ask', (view) => view.keyboard.press('Control+k')],
    [
      'menu',
      '/ask',
      (view, width) => width === 390 && view.getByRole('button', { name: /^(Menu|菜单)$/ }).click(),
    ],
    ['nowhere', '/nowhere'],
    ['knowledge-none', '/knowledge', null, ids.branch],
    ['applications-none', '/applications', null, ids.branch],
    ['ask-none', '/ask', null, ids.branch],
  ];
}
