import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdministrator, newPage } from '../harness.mjs';
import { lampPages, pdfOf } from '../pdf.mjs';

/** From the token in the terminal to the highlighted paragraph in one's own PDF. */
export function firstMinutes(desk) {
  test('nothing but set-up is offered before there is an administrator', async () => {
    const page = await newPage(desk.browser, desk.url);
    await page.goto('/knowledge');
    await page.waitForURL('**/setup');
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await page.getByText('This is needed').first().waitFor();
    await page.context().close();
  });

  test('a wrong token is refused in words and what was typed stays', async () => {
    const page = await newPage(desk.browser, desk.url);
    await page.goto('/setup?token=wrong');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Password', { exact: true }).fill('lamp-and-paper-7');
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await page.getByRole('alert').getByText('setup-token-wrong').waitFor();
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Ada');
    await page.context().close();
  });

  test('set-up, upload, ask, and the citation opens the paragraph in its page', async () => {
    const page = await newPage(desk.browser, desk.url);
    await createAdministrator(page, desk.server.token);

    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: /Add your documents/ }).click();
    await (await chooser).setFiles([
      { name: 'reading-lamps.pdf', mimeType: 'application/pdf', buffer: pdfOf(lampPages) },
      {
        name: 'opening-hours.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from('# Opening hours\n\nThe library opens at nine and closes at six on weekdays.\n'),
      },
    ]);
    await page.waitForURL('**/knowledge/*');
    desk.base = page.url().split('/').pop();
    await page.getByRole('row', { name: /reading-lamps\.pdf.*Ready/ }).waitFor({ timeout: 240_000 });
    await page.getByRole('row', { name: /opening-hours\.md.*Ready/ }).waitFor({ timeout: 240_000 });

    await page.getByRole('button', { name: 'Ask this base' }).click();
    await page.getByRole('textbox', { name: 'Question' }).fill('Where are bulbs of type QX-77 kept?');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ask/*');
    const chip = page.getByRole('link', { name: /^Citation 1: reading-lamps\.pdf/ });
    await chip.waitFor();
    await chip.hover();
    await page
      .getByRole('dialog')
      .getByText(/drawer below the catalogue/)
      .waitFor();
    await page
      .getByRole('complementary', { name: 'Evidence' })
      .getByText('reading-lamps.pdf')
      .first()
      .waitFor();

    await chip.click();
    await page.waitForURL('**/documents/*');
    const cited = page.getByRole('article', { name: 'The cited paragraph' });
    await cited.waitFor();
    assert.match(await cited.locator('mark').textContent(), /QX-77/);
    const image = page.getByRole('img', { name: 'Page 2 of the original' });
    await image.waitFor();
    await page.waitForFunction(() => document.querySelector('img[alt^="Page 2"]')?.naturalWidth > 0);
    assert.ok(
      (await page.locator('img[alt^="Page 2"] ~ div').count()) > 0,
      'the passage is marked on the page',
    );

    desk.state = await page.context().storageState();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('reopening a conversation shows the saved answer', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/ask');
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('link', { name: /QX-77/ })
      .click();
    await page.getByRole('link', { name: /^Citation 1/ }).waitFor();
    await page.getByRole('button', { name: /Searched 1 base/ }).click();
    await page.getByRole('rowheader', { name: 'Search' }).waitFor();
    await page.context().close();
  });

  test('a question nothing answers is told so with the numbers', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/ask');
    await page.getByRole('textbox', { name: 'Question' }).fill('Who won the chess tournament on Mars?');
    await page.keyboard.press('Enter');
    await page.getByText(/Nothing relevant was found.*0\.45/).waitFor();
    await page.getByText('No passage was close enough to the question.').waitFor();
    await page.context().close();
  });
}
