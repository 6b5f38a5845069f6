import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendFile, sendFiles } from '../furnish.mjs';
import { call, newPage, until } from '../harness.mjs';
import { lampPages, pdfOf } from '../pdf.mjs';

const harbour = (end) =>
  `## Light\n\nThe lamp of the harbour burns until the ${end}.\n\n## Sound\n\nA bell rings when the fog comes.\n`;

/** What becomes of versions: edits the newer file disagrees with, pages of earlier files, removed documents. */
export function versions(desk) {
  const base = { id: '' };
  const open = async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    if (!base.id) base.id = (await call(page, 'POST', '/knowledge-bases', { name: 'Harbour' })).id;
    return page;
  };
  const ready = (page, name, version = 1) =>
    until(async () => {
      const { items } = await call(page, 'GET', `/knowledge-bases/${base.id}/documents?limit=100`);
      return items.find((one) => one.name === name && one.state === 'ready' && one.version >= version);
    }, `${name} is ready`);

  test('an edit that the newer file disagrees with is kept or given up', async () => {
    const page = await open();
    await sendFiles(page, `/knowledge-bases/${base.id}/files`, [
      ['harbour.md', 'text/markdown', harbour('morning')],
    ]);
    const document = await ready(page, 'harbour.md');
    const { items } = await call(page, 'GET', `/documents/${document.id}/paragraphs`);
    await call(page, 'PATCH', `/paragraphs/${items[0].id}`, { content: 'My own words.' });
    await sendFile(page, `/documents/${document.id}/file`, 'harbour.md', 'text/markdown', harbour('dawn'));
    await ready(page, 'harbour.md', 2);
    await page.goto(`/documents/${document.id}`);
    await page.getByRole('button', { name: 'Keep what is written here' }).click();
    await page.getByText('The newer file says something else here').waitFor({ state: 'detached' });
    const kept = await call(page, 'GET', `/documents/${document.id}`);
    assert.deepEqual(kept.warnings, []);
    await sendFile(page, `/documents/${document.id}/file`, 'harbour.md', 'text/markdown', harbour('noon'));
    await ready(page, 'harbour.md', 3);
    await page.goto(`/documents/${document.id}`);
    await page.getByRole('button', { name: "Take the file's text everywhere" }).click();
    await page.getByText('burns until the noon').waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('an earlier version shows the pages of its own file', async () => {
    const page = await open();
    await sendFiles(page, `/knowledge-bases/${base.id}/files`, [
      ['lamp.pdf', 'application/pdf', pdfOf(lampPages)],
    ]);
    const document = await ready(page, 'lamp.pdf');
    const newer = pdfOf([['# Lamps', 'All lamps are electric now.']]);
    await sendFile(page, `/documents/${document.id}/file`, 'lamp.pdf', 'application/pdf', newer);
    await ready(page, 'lamp.pdf', 2);
    await page.goto(`/documents/${document.id}?version=1`);
    const image = page.getByAltText('Page 1 of the file of version 1');
    await image.waitFor();
    await until(() => image.evaluate((one) => one.naturalWidth > 0), 'the page is drawn');
    await page.getByText('of 2 pages').waitFor();
    await page.context().close();
  });

  test('a citation of a removed document shows what the answer quoted', async () => {
    const page = await open();
    const document = await ready(page, 'harbour.md');
    const run = await call(page, 'POST', '/runs', {
      question: 'What rings when the fog comes?',
      knowledge_base_ids: [base.id],
    });
    const done = await until(async () => {
      const found = await call(page, 'GET', `/runs/${run.id}`);
      return found.state === 'finished' ? found : null;
    }, 'the answer');
    assert.ok(done.citations.some((one) => one.document_id === document.id));
    await call(page, 'DELETE', `/documents/${document.id}`);
    await page.goto(`/ask/${done.conversation_id}`);
    await page.locator(`a[href*="/documents/${document.id}"]`).first().click();
    await page.getByText('This document was removed').waitFor();
    await page.locator('blockquote', { hasText: 'A bell rings when the fog comes.' }).waitFor();
    await page.getByRole('link', { name: 'Back to the answer' }).click();
    await page.waitForURL(`**/ask/${done.conversation_id}`);
    await page.context().close();
  });
}
