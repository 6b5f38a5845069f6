import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from '../harness.mjs';

export function applications(desk) {
  test('an application is made, speaks its opening words, and answers', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/applications');
    await page.getByRole('link', { name: 'New application' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Front desk');
    await page.getByRole('combobox', { name: 'Knowledge bases' }).click();
    await page.getByRole('option', { name: /My documents/ }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Opening words').fill('Ask me about the reading room.');
    await page.getByLabel('Suggested questions').fill('When does the library open?\n');
    await page.getByRole('button', { name: 'Create and ask' }).click();
    await page.waitForURL('**/ask?application=*');
    await page.getByText('Ask me about the reading room.').waitFor();
    await page.getByRole('button', { name: 'When does the library open?' }).click();
    await page.waitForURL('**/ask/*');
    await page.getByRole('link', { name: /^Citation 1: opening-hours\.md/ }).waitFor();
    await page.context().close();
  });

  test('a template without its places is refused before anything is sent', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/applications');
    await page.getByRole('link', { name: 'Edit Front desk' }).click();
    await page.getByRole('button', { name: 'Prompts', exact: true }).click();
    // What a model would get is there before anything is saved, and follows what is typed.
    const preview = page.getByRole('region', { name: 'What the model gets' });
    await preview.getByText(/^Sources:/).waitFor();
    await page.getByLabel('Answer prompt').fill('Facts: {data} Asked: {question}');
    await preview.getByText(/^Facts: <source/).waitFor();
    await page.getByLabel('Answer prompt').fill('Only {question}');
    await page.getByText('It lacks {data}.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/lacks a variable/)
      .first()
      .waitFor();
    assert.equal(await page.getByLabel('Answer prompt').inputValue(), 'Only {question}');
    await page.getByLabel('Answer prompt').fill('');
    await page.getByLabel('Description').fill('For visitors.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.context().close();
  });
}
