import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, newPage } from '../harness.mjs';

const count = 48;
const numbers = [...Array(count).keys()];

export function gates(desk) {
  test('a model is calibrated on a test set, shows what was fitted, and goes back to the default', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/models');
    const base = await call(page, 'POST', '/knowledge-bases', { name: 'Machines' });
    const { items: made } = await call(page, 'POST', `/knowledge-bases/${base.id}/documents`, {
      documents: numbers.map((n) => ({
        name: `m${n}.md`,
        paragraphs: [{ content: `Machine M-${n} takes oil of grade ${n} and filter F-${n} every winter.` }],
      })),
    });
    await call(page, 'POST', '/test-sets', {
      name: 'Machine questions',
      knowledge_base_ids: [base.id],
      questions: made.map((document, n) => ({
        question: `Which oil does machine M-${n} take?`,
        documents: [document.id],
      })),
    });
    const settled = async () => {
      const { items } = await call(page, 'GET', `/knowledge-bases/${base.id}/documents?limit=100`);
      return items.length === count && items.every((one) => one.state === 'ready');
    };
    for (let attempt = 0; attempt < 120 && !(await settled()); attempt += 1) await page.waitForTimeout(1000);

    await page.getByText('Default gates').waitFor();
    await page.getByRole('button', { name: /^Gates of multilingual/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The default gates are in force; nothing was fitted yet.').waitFor();
    await dialog.getByLabel('Fit to a test set').click();
    await page.getByRole('option', { name: 'Machine questions' }).click();
    await dialog.getByRole('button', { name: 'Calibrate' }).click();
    await dialog.getByText('Stored; it holds from the next search on.').waitFor({ timeout: 120_000 });
    await dialog.getByText(/^Fitted on Machine questions, 48 questions/).waitFor();
    await dialog.getByRole('row', { name: /Words and meaning 0\.45 → / }).waitFor();
    await dialog.getByRole('button', { name: 'Reset to default' }).click();
    await dialog.getByText('The default gates are in force; nothing was fitted yet.').waitFor();

    await page.goto(`/knowledge/${base.id}?tab=hit-test`);
    await page.getByLabel('Question', { exact: true }).fill('zebras of Xanadu');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(/^Decided by the similarity: the closest has 0\.\d\d, needed 0\.45/).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}
