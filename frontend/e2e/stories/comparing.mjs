import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, newPage } from '../harness.mjs';

export function comparing(desk) {
  test('a test set is asked of two settings, and the answers stand side by side', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/knowledge');
    const base = await call(page, 'POST', '/knowledge-bases', { name: 'Harbour manual' });
    await call(page, 'POST', `/knowledge-bases/${base.id}/documents`, {
      documents: [
        { name: 'buoy.md', paragraphs: [{ content: 'The red buoy marks the channel, see BUOY-77.' }] },
      ],
    });
    const settled = async () => {
      const { items } = await call(page, 'GET', `/knowledge-bases/${base.id}/documents`);
      return items.length === 1 && items.every((one) => one.state === 'ready');
    };
    for (let attempt = 0; attempt < 90 && !(await settled()); attempt += 1) await page.waitForTimeout(1000);
    const set = await call(page, 'POST', '/test-sets', {
      name: 'Harbour questions',
      knowledge_base_ids: [base.id],
      questions: [{ question: 'What does BUOY-77 mark?', documents: ['buoy.md'] }],
    });
    await page.goto(`/test-sets/${set.id}`);
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Ask 2 questions' }).click();
    await page.getByText(/Finished · 2 of 2 answers/).waitFor();
    await page.getByRole('cell', { name: '100%' }).first().waitFor();
    const answers = page.getByRole('article').filter({ hasText: 'What does BUOY-77 mark?' });
    assert.equal(await answers.getByText('The red buoy marks the channel').count(), 2);
    if (process.env.REFDESK_SHOTS) {
      for (const [width, scheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.screenshot({ path: `${process.env.REFDESK_SHOTS}/compare-${width}.png`, fullPage: true });
      }
    }
    await answers.getByRole('link', { name: 'Trace' }).first().click();
    await page.waitForURL('**/trace/**');
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}
