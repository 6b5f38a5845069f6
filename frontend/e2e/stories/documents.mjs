import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sendFiles } from '../furnish.mjs';
import { call, newPage, until } from '../harness.mjs';
import { lockedPdf } from '../locked.mjs';
import { startSite } from '../site.mjs';

const firstRules = [
  '# House rules',
  '',
  '## Ink',
  '',
  'Ink bottles of the brand Meridian stay on the sill.',
  '',
  '## Noise',
  '',
  'Nobody whistles in the reading room.',
].join('\n');
const laterRules = firstRules.replace('stay on the sill', 'are locked in the oak chest');

/** Documents in depth: preview, versions, tables of questions, passwords, web sites, exports. */
export function documents(desk) {
  const base = { id: '' };
  const ready = async (page) =>
    until(async () => {
      const { items } = await call(page, 'GET', `/knowledge-bases/${base.id}/documents?limit=100`);
      return items.length > 0 && items.every((one) => one.state === 'ready') ? items : null;
    }, 'all documents are ready');

  test('files are previewed, put right by keyboard, imported, and answer a question', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/knowledge');
    base.id = (await call(page, 'POST', '/knowledge-bases', { name: 'Depth' })).id;
    await page.goto(`/knowledge/${base.id}`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Add files' }).first().click();
    await (await chooser).setFiles([
      { name: 'rules.md', mimeType: 'text/markdown', buffer: Buffer.from(firstRules) },
    ]);
    await page.getByRole('button', { name: /^Preview first/ }).click();
    await page.waitForURL('**/preview');
    const ink = page.getByRole('article').filter({ hasText: 'Meridian' });
    await ink.waitFor();
    const listed = await call(page, 'GET', `/knowledge-bases/${base.id}/documents`);
    assert.equal(listed.total, 0, 'a preview is not a document yet');

    await ink.focus();
    await page.keyboard.press('q');
    await page.getByRole('textbox', { name: 'Add a question it answers' }).fill('Where does ink belong?');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Where does ink belong?' }).waitFor();
    await page.keyboard.press('Escape');

    const noise = page.getByRole('article').filter({ hasText: 'whistles' });
    await noise.focus();
    await page.keyboard.press('e');
    await page.getByLabel('Text', { exact: true }).fill('Nobody whistles Zauberlied in the reading room.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Zauberlied').waitFor();
    await noise.focus();
    await page.keyboard.press('a');
    await page.getByLabel('Text of the new paragraph').fill('This one goes again.');
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Text of the new paragraph').waitFor({ state: 'detached' });
    const added = page.getByRole('article').filter({ hasText: 'This one goes again.' });
    await added.focus();
    await page.keyboard.press('Delete');
    await added.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Add a level' }).click();
    await page.getByRole('textbox', { name: 'Pattern of level 1' }).fill('^## .+$');
    await page.getByText('2 headings in what is shown').waitFor();
    await page.getByRole('button', { name: 'Remove the pattern of level 1' }).click();

    await page.getByRole('button', { name: /^Import \d+ file|^Import all/ }).click();
    await page.waitForURL(`**/knowledge/${base.id}`);
    await ready(page);
    const [document] = await ready(page);
    assert.equal(document.paragraph_count, 2, 'what was deleted did not come in');

    await page.goto(`/ask?base=${base.id}`);
    await page.getByRole('textbox', { name: 'Question' }).fill('Where does ink belong?');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ask/*');
    desk.inkThread = page.url();
    await page.getByRole('link', { name: /^Citation 1: rules\.md/ }).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('a file is replaced, compared, and the earlier version brought back', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}`);
    await page.getByRole('link', { name: 'rules.md' }).click();
    await page.getByText('stay on the sill').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Actions for rules.md' }).click();
    await page.getByRole('menuitem', { name: 'Replace the file…' }).click();
    await (await chooser).setFiles([
      { name: 'rules.md', mimeType: 'text/markdown', buffer: Buffer.from(laterRules) },
    ]);
    await page.getByText('are locked in the oak chest').waitFor();
    // What was edited by hand stays.
    await page.getByText('Zauberlied').waitFor();
    await page.getByRole('button', { name: 'Version 2' }).click();
    await page.getByRole('button', { name: 'Actions for version 1' }).click();
    await page.getByRole('menuitem', { name: 'What changed since' }).click();
    await page.locator('ins', { hasText: 'oak chest' }).waitFor();
    await page.locator('del', { hasText: 'sill' }).waitFor();
    await page.getByText('1 changed').waitFor();
    await page.getByRole('button', { name: 'Close the comparison' }).click();

    await page.getByRole('button', { name: 'Version 2' }).click();
    await page.getByRole('button', { name: 'Actions for version 1' }).click();
    await page.getByRole('menuitem', { name: 'Bring this version back' }).click();
    await page.getByText('stay on the sill').waitFor();
    await page.getByRole('button', { name: 'Version 3' }).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('a citation to a paragraph that is gone opens the version it was made from', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}`);
    const [document] = await ready(page);
    const session = await (await page.request.get('/api/v1/session')).json();
    const replaced = await page.request.post(`/api/v1/documents/${document.id}/file`, {
      headers: { 'X-CSRF-Token': session.csrf_token },
      multipart: {
        file: {
          name: 'rules.md',
          mimeType: 'text/markdown',
          buffer: Buffer.from('# Wholly new\n\nOnly chairs.'),
        },
      },
    });
    assert.equal(replaced.status(), 202);
    await until(
      async () => (await call(page, 'GET', `/documents/${document.id}`)).version > document.version,
      'the new version is there',
    );
    await page.goto(desk.inkThread);
    await page.getByRole('link', { name: /^Citation 1: rules\.md/ }).click();
    await page.getByText(/This is version \d+; the present one is \d+/).waitFor();
    const cited = page.getByRole('article', { name: 'The cited paragraph' });
    await cited.getByText('Meridian').waitFor();
    await page.getByRole('button', { name: 'Show the present version' }).click();
    await page.getByText('Only chairs.').waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('metadata, use and the report of reading are in the details', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}`);
    await page.getByRole('link', { name: 'rules.md' }).click();
    await page.getByRole('button', { name: 'Details' }).click();
    const panel = page.getByRole('dialog', { name: 'Details' });
    await panel.getByText(/characters were found in the file/).waitFor();
    await panel.getByLabel('Type of document').fill('policy');
    await panel.getByLabel('In force from').fill('2026-03-01');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await panel.getByRole('combobox', { name: 'When it is found' }).click();
    await page.getByRole('option', { name: 'Return the paragraph as it is' }).click();
    await page.getByText('Returned directly').waitFor();
    await page.goto(`/knowledge/${base.id}`);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByPlaceholder('department=Sales').fill('doc_type=policy');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'rules.md' }).waitFor();
    await page.getByPlaceholder('department=Sales').fill('doc_type=letter');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'rules.md' }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('a protected file asks for its password and opens with it', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}`);
    await sendFiles(page, `/knowledge-bases/${base.id}/files`, [
      ['locked.pdf', 'application/pdf', lockedPdf],
    ]);
    await page.getByRole('link', { name: 'locked.pdf' }).click();
    await page.getByText('This file asks for a password').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Open the file' }).click();
    await page.getByText('password-wrong').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('open sesame');
    await page.getByRole('button', { name: 'Open the file' }).click();
    await page.getByText('Kryptos cupboard').waitFor();
    await page.context().close();
  });

  test('a preview asks for the password, says when it is wrong, and keeps a wide table readable', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    const other = await call(page, 'POST', '/knowledge-bases', { name: 'Previews' });
    await page.goto(`/knowledge/${other.id}`);
    const columns = Array.from({ length: 24 }, (_, n) => `Measurement${n}`);
    const table = [columns, columns.map(() => '---'), columns.map((_, n) => n)];
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Add files' }).first().click();
    await (await chooser).setFiles([
      { name: 'locked.pdf', mimeType: 'application/pdf', buffer: lockedPdf },
      {
        name: 'wide.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from(table.map((row) => `| ${row.join(' | ')} |`).join('\n')),
      },
    ]);
    await page.getByRole('button', { name: /^Preview first/ }).click();
    await page.waitForURL('**/preview');
    await page.getByRole('button', { name: /^wide\.md/ }).click();
    const region = page.getByRole('region', { name: 'Table' });
    await region.waitFor();
    const heights = await region
      .locator('th')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().height));
    assert.ok(Math.max(...heights) < 60, 'a word of a cell stands on one line');
    await page.getByRole('button', { name: /^locked\.pdf/ }).click();
    await page.getByText('This file asks for a password').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Open the file' }).click();
    await page.getByText('password-wrong').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('open sesame');
    await page.getByRole('button', { name: 'Open the file' }).click();
    await page.getByText('Kryptos cupboard').waitFor();
    assert.deepEqual(page.problems, []);
    await call(page, 'DELETE', `/knowledge-bases/${other.id}`);
    await page.context().close();
  });

  test('questions and answers come in from a table', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}`);
    await page.getByRole('button', { name: 'More ways to add' }).click();
    await page.getByRole('menuitem', { name: 'Import questions and answers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import questions and answers' });
    const template = await dialog.getByRole('link', { name: 'English template (CSV)' }).getAttribute('href');
    const sample = await page.request.get(template);
    assert.match(await sample.text(), /title,content,questions/);
    await dialog.locator('input[type=file]').setInputFiles([
      {
        name: 'faq.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          'title,content,questions\nUmbrellas,Wet umbrellas hang by the Gorgon door.,"Where do umbrellas go?\nMay I bring an umbrella?"\n',
        ),
      },
    ]);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 file is being indexed.').waitFor();
    await ready(page);
    await page.goto(`/knowledge/${base.id}?tab=questions`);
    const row = page.getByRole('row', { name: /Where do umbrellas go\?/ });
    await row.getByRole('button', { name: '1 paragraph' }).click();
    await page.getByRole('link', { name: /Umbrellas/ }).click();
    await page.getByText('Wet umbrellas hang by the Gorgon door.').waitFor();
    await page.context().close();
  });

  test('a web site is read, its failures are told, and it is read again when it changes', async () => {
    const site = await startSite();
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    try {
      await page.goto(`/knowledge/${base.id}?tab=sources`);
      await page.getByRole('button', { name: 'Add a web site' }).click();
      await page.getByLabel('Start page').fill('example.org');
      await page.getByRole('button', { name: 'Add and read' }).click();
      await page.getByText('Give a whole address').waitFor();
      await page.getByLabel('Start page').fill(site.url);
      await page.getByLabel('Name', { exact: true }).fill('Lamp site');
      await page.getByRole('button', { name: 'Add and read' }).click();
      const card = page.getByRole('article', { name: 'Lamp site' });
      await card.getByText('Up to date').waitFor();
      await card.getByText('2 new').waitFor();
      await card.getByRole('button', { name: 'Pages' }).click();
      await card.getByText('page-status').waitFor();
      await ready(page);

      site.pages['/guide/wicks.html'] = site.pages['/guide/wicks.html'].replace('forty', 'ninety');
      await card.getByRole('button', { name: 'Sync now' }).click();
      await card.getByText('1 changed').waitFor();
      await card.getByText('Up to date').waitFor();
      assert.deepEqual(page.problems, []);
    } finally {
      await page.context().close();
      await site.stop();
    }
  });

  test('a base is exported and imported as another one', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}`);
    const before = await ready(page);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    const path = await (await download).path();
    await page.goto('/knowledge');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a base' }).click();
    await (await chooser).setFiles([
      { name: 'depth.zip', mimeType: 'application/zip', buffer: await readFile(path) },
    ]);
    await page.getByText(`${before.length} documents were imported.`).waitFor();
    await page.getByText('Nothing had to be embedded again.').waitFor();
    await page.getByRole('link', { name: 'rules.md' }).waitFor();
    await page.context().close();
  });

  test('the preview and the comparison can be used on a phone', async () => {
    const page = await newPage(desk.browser, desk.url, {
      storageState: desk.state,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.goto(`/knowledge/${base.id}`);
    await sendFiles(page, `/knowledge-bases/${base.id}/drafts`, [
      ['phone.md', 'text/markdown', '# On the phone\n\nA short text.\n\n# Another\n\nMore of it.'],
    ]);
    await page.goto(`/knowledge/${base.id}/preview`);
    await page.getByText('A short text.').waitFor();
    await page.getByRole('button', { name: 'How it is split' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit this paragraph' }).first().click();
    await page.getByRole('button', { name: 'Split at the cursor' }).waitFor();
    const rules = (await ready(page)).find((one) => one.name === 'rules.md');
    await page.goto(`/documents/${rules.id}?from=1&to=2`);
    await page.locator('ins', { hasText: 'oak chest' }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `the comparison is ${wide} px too wide`);
    await page.context().close();
  });
}
