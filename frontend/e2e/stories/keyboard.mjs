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
}
