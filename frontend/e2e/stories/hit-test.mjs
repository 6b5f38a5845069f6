import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, newPage } from '../harness.mjs';

export function hitTest(desk) {
  let base;

  test('a search marks its words, and a document that is missing is explained', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/knowledge');
    base = await call(page, 'POST', '/knowledge-bases', { name: 'Lighthouse manual' });
    await call(page, 'POST', `/knowledge-bases/${base.id}/documents`, {
      documents: [
        { name: 'lamp.md', paragraphs: [{ content: 'The lamp is lit at dusk and cleaned with vinegar.' }] },
        { name: 'bell.md', paragraphs: [{ content: 'The fog bell rings twice a minute, see ERR-1042.' }] },
        { name: 'stairs.md', paragraphs: [{ content: 'Two hundred and four steps lead to the gallery.' }] },
      ],
    });
    const settled = async () => {
      const { items } = await call(page, 'GET', `/knowledge-bases/${base.id}/documents`);
      return items.length === 3 && items.every((one) => one.state === 'ready');
    };
    for (let attempt = 0; attempt < 90 && !(await settled()); attempt += 1) await page.waitForTimeout(1000);
    await page.goto(`/knowledge/${base.id}?tab=hit-test`);
    await page.getByLabel('Question', { exact: true }).fill('ERR-1042 fog bell');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('article').first().locator('mark', { hasText: 'ERR-1042' }).waitFor();
    await page.getByPlaceholder('Find a document', { exact: true }).fill('stairs');
    await page.getByRole('option', { name: 'stairs.md' }).click();
    await page.getByText(/is below the threshold 0\.45/).waitFor();
    await page.getByText('1 of 1 paragraphs indexed').waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('two settings stand side by side with what moved', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}?tab=hit-test`);
    await page.getByText('Compare', { exact: true }).click();
    await page.getByLabel('Question', { exact: true }).last().fill('ERR-1042 fog bell');
    const b = page.getByRole('region', { name: 'Setting B' });
    await b.getByRole('slider', { name: 'Similarity threshold' }).press('End');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Setting A' }).getByRole('article').first().waitFor();
    await b.getByText('Nothing close enough').waitFor();
    await page.getByRole('region', { name: 'Setting A' }).getByText('Only here').first().waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('pasted questions are run, kept as a test set and run again', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${base.id}?tab=hit-test`);
    await page.getByText('Many questions', { exact: true }).click();
    await page
      .getByRole('textbox', { name: 'Questions', exact: true })
      .fill('When is the lamp lit?\tlamp.md\nfog bell ERR-1042 => stairs.md\nGDP of France in 1950 => -');
    await page.getByRole('button', { name: 'Run 3 questions' }).click();
    const row = (words) => page.getByRole('row', { name: words });
    await row(/When is the lamp lit.*Found/).waitFor();
    await row(/fog bell.*Others found/).waitFor();
    await row(/GDP of France.*Rightly nothing/).waitFor();
    await page.getByText('50%').first().waitFor();
    await page.getByRole('button', { name: 'Save as a test set' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Lighthouse');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Lighthouse', level: 1 }).waitFor();
    await row(/GDP of France.*Has no answer here/).waitFor();
    await page.getByRole('button', { name: 'Edit “fog bell ERR-1042”' }).click();
    const dialog = page.getByRole('dialog');
    const expected = { name: 'Expected' };
    await dialog.getByRole('textbox', expected).or(dialog.getByRole('combobox', expected)).fill('bell');
    await page.getByRole('option', { name: 'bell.md' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(/fog bell.*bell\.md/).waitFor();
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run 3 questions' }).click();
    await row(/fog bell.*Found/).waitFor();
    await page.getByText('100%').first().waitFor();
    await page.getByRole('tab', { name: 'Earlier runs' }).click();
    await page.getByRole('row', { name: /Blend.*100%/ }).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}
