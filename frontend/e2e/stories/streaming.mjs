import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from '../harness.mjs';

const answer = [
  'Bulbs ',
  'of ',
  'type ',
  'QX-77 ',
  'are ',
  'kept ',
  'in ',
  'the ',
  'drawer ',
  'below ',
  'the ',
  'catalogue ',
  '[1]. ',
  'They ',
  'cost ',
  '314 ',
  'crowns ',
  'each.',
];

/** With a language model: connecting it, streaming, stopping, leaving and coming back. */
export function streaming(desk) {
  test('a refused key is told in words, a good one connects', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/models');
    await page.getByRole('button', { name: 'Add a model' }).click();
    await page.getByLabel('Search vendors').fill('compatible');
    await page.getByRole('button', { name: 'Any OpenAI-compatible server' }).click();
    await page.getByLabel('Address').fill(desk.model.url);
    await page.getByLabel('API key').fill('sk-story-1234567890');
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill('lamp-1');
    desk.model.script.status = 401;
    await page.getByRole('dialog').getByRole('button', { name: 'Test connection' }).click();
    await page.getByRole('alert').getByText('Incorrect API key provided.').waitFor();
    desk.model.script.status = 200;
    await page.getByRole('dialog').getByRole('button', { name: 'Test connection' }).click();
    await page.getByText(/^Works: answered in/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'lamp-1' }).waitFor();
    assert.equal(await page.getByText('sk-story-1234567890').count(), 0);
    await page.getByText(/\*{6}/).waitFor();
    await page.context().close();
  });

  test('an answer streams, its chip appears, and a sentence without support is marked with the reason', async () => {
    Object.assign(desk.model.script, { words: answer, pauseMs: 60 });
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/ask?base=${desk.base}`);
    await page.getByRole('textbox', { name: 'Question' }).fill('Where are bulbs of type QX-77 kept?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page
      .getByText(/kept in the drawer/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: /^Citation 1: reading-lamps/ }).waitFor();
    const mark = page.locator('article u');
    await mark.waitFor();
    assert.match(await mark.textContent(), /314 crowns/);
    await mark.focus();
    await page
      .getByRole('tooltip')
      .getByText(/number/)
      .waitFor();
    await page.context().close();
  });

  test('leaving the page does not lose the answer; coming back resumes it', async () => {
    Object.assign(desk.model.script, {
      words: Array.from({ length: 60 }, (_, n) => `word${n} `),
      pauseMs: 120,
    });
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/ask?base=${desk.base}`);
    await page.getByRole('textbox', { name: 'Question' }).fill('Tell me about the QX-77 bulbs in the drawer');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ask/*');
    await page.getByText(/word3/).first().waitFor();
    const address = page.url();
    await page.goto('about:blank');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await page.goto(address);
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByText(/word0 word1 .*word20/).waitFor();
    await page.getByText(/word59/).waitFor();
    await page.getByRole('button', { name: 'Answer again' }).waitFor();
    assert.equal(await page.getByText(/word0 .*word0 /).count(), 0, 'nothing is shown twice');
    await page.context().close();
  });

  test('stop keeps what was written, and the question can be answered again', async () => {
    Object.assign(desk.model.script, {
      words: Array.from({ length: 200 }, (_, n) => `step${n} `),
      pauseMs: 100,
    });
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/ask?base=${desk.base}`);
    await page.getByRole('textbox', { name: 'Question' }).fill('Which drawer holds the QX-77 bulbs?');
    await page.keyboard.press('Enter');
    await page.getByText(/step2/).first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. What was written so far is kept.').waitFor();
    await page.getByText(/step0 step1/).waitFor();
    Object.assign(desk.model.script, { words: ['In the drawer below the catalogue [1].'], pauseMs: 0 });
    await page.getByRole('button', { name: 'Answer again' }).click();
    await page.getByText('In the drawer below the catalogue').first().waitFor();
    await page.getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: 'Previous version' }).click();
    await page.getByText(/step0 step1/).waitFor();
    await page.context().close();
  });

  test('a model that refuses ends in an error that can be retried', async () => {
    desk.model.script.status = 429;
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto(`/ask?base=${desk.base}`);
    await page.getByRole('textbox', { name: 'Question' }).fill('Where are QX-77 bulbs kept now?');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/model-/)
      .waitFor();
    desk.model.script.status = 200;
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('In the drawer below the catalogue').first().waitFor();
    await page.context().close();
  });
}
