import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../axe.mjs';
import { newPage } from '../harness.mjs';

const phoneScreen = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Two tabs on one conversation, and what an answer did. */
export function traces(desk) {
  let address = '';

  test('a question asked in one tab appears in the other and is followed there', async () => {
    Object.assign(desk.model.script, {
      words: Array.from({ length: 30 }, (_, n) => `turn${n} `),
      pauseMs: 150,
    });
    const one = await newPage(desk.browser, desk.url, { storageState: desk.state });
    const other = await one.context().newPage();
    await one.goto(`/ask?base=${desk.base}`);
    await one.getByRole('textbox', { name: 'Question' }).fill('Where are bulbs of type QX-77 kept today?');
    await one.keyboard.press('Enter');
    await one.waitForURL('**/ask/*');
    await one.getByRole('button', { name: 'Answer again' }).waitFor();
    address = one.url();
    await other.goto(address);
    await other.getByText(/turn29/).waitFor();
    desk.model.script.words = Array.from({ length: 400 }, (_, n) => `turn${n} `);
    await one.getByRole('textbox', { name: 'Question' }).fill('And which bulbs are in the drawer?');
    await one.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'And which bulbs are in the drawer?' }).waitFor();
    await other.getByRole('button', { name: 'Stop' }).click();
    await one.getByText('Stopped. What was written so far is kept.').waitFor();
    await one.context().close();
  });

  test('the trace tells stages, candidates and the prompt, and the question can be asked otherwise', async () => {
    Object.assign(desk.model.script, { words: ['In the drawer below the catalogue [1].'], pauseMs: 0 });
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(address);
    await page.getByRole('link', { name: 'Trace' }).first().click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.waitFor();
    await timeline
      .getByRole('button', { name: /^Search/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'What the search looked at' }).waitFor();
    await page.getByText('Kept', { exact: true }).first().waitFor();
    // From bar to bar by the arrow keys.
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await timeline.getByRole('button', { name: /^Answer/ }).click();
    await page.getByRole('heading', { name: 'Prompt, word for word' }).waitFor();
    await page
      .getByText(/<source n="1"/)
      .first()
      .waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole('button', { name: 'Ask again with changes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ask again with changes' });
    await dialog.getByLabel('Paragraphs at most').fill('1');
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('tab', { name: 'Side by side' }).click();
    await page.getByText('Only before', { exact: false }).or(page.getByText('top_n')).first().waitFor();
    await page.getByText('In the drawer below the catalogue').first().waitFor();
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(page.problems, []);
    const small = await newPage(desk.browser, desk.url, {
      storageState: desk.state,
      colorScheme: 'dark',
      ...phoneScreen,
    });
    await small.goto(page.url());
    await small.getByRole('list', { name: 'Timeline' }).waitFor();
    const wide = await small.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `the trace is ${wide} px too wide`);
    assert.deepEqual(await faultsOf(small), []);
    if (process.env.REFDESK_SHOTS) {
      await small.screenshot({ path: `${process.env.REFDESK_SHOTS}/trace-phone.png`, fullPage: true });
      await page.screenshot({ path: `${process.env.REFDESK_SHOTS}/trace-compare.png`, fullPage: true });
      await page.getByRole('tab', { name: 'Timeline' }).click();
      await page.screenshot({ path: `${process.env.REFDESK_SHOTS}/trace.png`, fullPage: true });
    }
    await small.context().close();
    await page.context().close();
  });
}
