import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from '../harness.mjs';

export function keyboard(desk) {
  test('one can ask, read and open a source without a mouse', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/knowledge');
    await page.getByRole('heading', { name: 'Knowledge', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the content');

    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /Find a base/ });
    await field.waitFor();
    await page.keyboard.type('start a new');
    await page.getByRole('option', { name: 'Start a new conversation' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ask');

    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    await page.keyboard.type('Where do broken bulbs go?');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('(QX-77)');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ask/*');
    await page.getByRole('link', { name: /^Citation 1/ }).waitFor();

    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
      if (label.startsWith('Citation 1')) break;
    }
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, 'none', 'focus is visible');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/documents/*');
    await page.getByRole('article', { name: 'The cited paragraph' }).waitFor();
    await page.context().close();
  });

  test('the palette finds documents and closes with Escape', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/ask');
    await page.getByRole('textbox', { name: 'Question' }).waitFor();
    await page.keyboard.press('Control+k');
    // Words typed before the field has the focus would go nowhere.
    await page
      .getByRole('combobox', { name: /Find a base/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.type('opening-h');
    await page.getByRole('option', { name: /opening-hours\.md/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: /Find a base/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    // Words typed before the field has the focus would go nowhere.
    await page
      .getByRole('combobox', { name: /Find a base/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.type('opening-h');
    await page.getByRole('option', { name: /opening-hours\.md/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/documents/*');
    await page.context().close();
  });

  test('the focus goes back to what opened a dialog, also from a menu', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/knowledge/${desk.base}`);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    const menu = page
      .getByRole('main')
      .getByRole('button', { name: /^Actions for .+\.md/ })
      .first();
    const name = await menu.getAttribute('aria-label');
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: 'Who may see this' }).press('Enter');
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction((label) => document.activeElement?.getAttribute('aria-label') === label, name);
    assert.equal(await focused(), name);
    await page.context().close();
  });

  test('a question from the palette is written down, and one that was suggested does not come back', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    const field = page.getByRole('textbox', { name: 'Question' });
    await page.goto('/knowledge');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page
      .getByRole('combobox', { name: /Find a base/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.type('Which oil burns longest');
    await page.getByRole('option', { name: /Which oil burns longest/ }).click();
    await page.waitForURL('**/ask');
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Which oil burns longest');
    await field.fill('');
    const suggestion = page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first();
    if (await suggestion.isVisible()) {
      await suggestion.click();
      await page.waitForURL('**/ask/*');
      await page.goto('/ask');
      assert.equal(await field.inputValue(), '');
    }
    await page.context().close();
  });
}
