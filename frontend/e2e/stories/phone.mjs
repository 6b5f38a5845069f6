import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from '../harness.mjs';
import { open, places } from './places.mjs';

const screen = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export function phone(desk) {
  test('no page scrolls sideways at 390 pixels', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state, ...screen });
    await page.goto('/ask');
    for (const language of ['en', 'zh']) {
      await page.evaluate((value) => localStorage.setItem('refdesk-language', value), language);
      for (const [name, path] of await places(page, desk)) {
        await open(page, path);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${name} (${language}) is ${wide} px too wide`);
      }
    }
    await page.context().close();
  });

  test('the menu and the evidence are within reach of a thumb', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state, ...screen });
    await page.goto('/ask');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: /QX-77/ }).first().click();
    await page
      .getByRole('button', { name: /^Evidence \(/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('reading-lamps.pdf').first().waitFor();
    await page.context().close();
  });
}
