import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, newPage } from '../harness.mjs';

export function knowledge(desk) {
  test('files dropped on the page arrive; a broken one says why', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${desk.base}`);
    await page.getByRole('button', { name: 'Add files' }).waitFor();
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(
        new File(['Cats sleep on the radiator of the reading room.'], 'cats.txt', { type: 'text/plain' }),
      );
      data.items.add(new File(['%PDF-1.4 not really'], 'broken.pdf', { type: 'application/pdf' }));
      return data;
    });
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
    await page.getByText(/Drop to add to/).waitFor();
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.getByRole('button', { name: /^Import now/ }).click();
    await page.getByRole('row', { name: /cats\.txt.*Ready/ }).waitFor();
    await page
      .getByText(/corrupt-file|not-supported|parse/)
      .first()
      .waitFor();
    await page.context().close();
  });

  test('a deleted document can be brought back, and is gone when the notice has passed', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${desk.base}`);
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for broken.pdf' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('link', { name: 'broken.pdf' }).waitFor({ state: 'detached' });
    };
    await page.getByRole('link', { name: 'broken.pdf' }).waitFor();
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'broken.pdf' }).waitFor();
    await remove();
    await page.waitForResponse((response) => response.request().method() === 'DELETE' && response.ok());
    await page.reload();
    await page.getByRole('link', { name: 'cats.txt' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'broken.pdf' }).count(), 0);
    await page.context().close();
  });

  test('a paragraph edited in place is found by its new words', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${desk.base}`);
    await page.getByRole('link', { name: 'cats.txt' }).click();
    await page.getByText('Cats sleep on the radiator').hover();
    await page.getByRole('button', { name: 'Edit this paragraph' }).click();
    await page
      .getByLabel('Text', { exact: true })
      .fill('Dogs named Zephyrine guard the map cabinet at night.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Edited', { exact: true }).waitFor();
    await page.goto(`/knowledge/${desk.base}?tab=hit-test`);
    await page.getByLabel('Question', { exact: true }).fill('Zephyrine map cabinet');
    // The paragraph is indexed again in the background: ask until its new words are found.
    const verdict = page.getByText('Found', { exact: true });
    for (let attempt = 0; attempt < 60 && !(await verdict.isVisible()); attempt += 1) {
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.waitForTimeout(1000);
    }
    await verdict.waitFor();
    await page.getByRole('article').first().getByText('Zephyrine guard').waitFor();
    await page.context().close();
  });

  test('a base is deleted only when its name is typed', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/knowledge');
    const base = await call(page, 'POST', '/knowledge-bases', { name: 'Shelf to clear' });
    await page.goto(`/knowledge/${base.id}?tab=settings`);
    await page.getByRole('button', { name: 'Delete this knowledge base' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    assert.ok(await confirm.isDisabled());
    await page.getByRole('dialog').getByRole('textbox').fill('Shelf to clear');
    await confirm.click();
    await page.waitForURL('**/knowledge');
    await page.getByRole('heading', { name: 'Knowledge', level: 1 }).waitFor();
    assert.equal(await page.getByText('Shelf to clear').count(), 0);
    await page.context().close();
  });
}
