import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administrator, newPage, signIn } from '../harness.mjs';

export function people(desk) {
  test('a wrong password is refused, the right one leads to where one wanted to go', async () => {
    const page = await newPage(desk.browser, desk.url);
    await page.goto('/models');
    await page.waitForURL('**/sign-in**');
    await page.getByLabel('Email').fill(administrator.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('sign-in-failed').waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), administrator.email);
    await page.getByLabel('Password', { exact: true }).fill(administrator.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/models');
    await page.context().close();
  });

  test('an invited person chooses a password and comes in as a viewer', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/settings?section=members');
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByLabel('Email').fill('vera@example.org');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByRole('textbox', { name: 'Invitation link' }).inputValue();
    await page.context().close();

    const guest = await newPage(desk.browser, desk.url);
    await guest.goto(link);
    await guest.getByLabel('Your name').fill('Vera');
    await guest.getByLabel('New password').fill('a-quiet-corner-9');
    await guest.getByRole('button', { name: 'Save and come in' }).click();
    await guest.waitForURL('**/ask');
    await guest.goto(`/knowledge/${desk.base}`);
    await guest.getByRole('link', { name: 'opening-hours.md' }).waitFor();
    assert.equal(await guest.getByRole('button', { name: 'Add files' }).count(), 0);
    assert.equal(await guest.getByRole('tab', { name: 'Settings' }).count(), 0);
    await guest.goto(link);
    await guest.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await guest.context().close();
  });

  test('the language changes everywhere at once and is kept', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/knowledge');
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByText('中文', { exact: true }).click();
    await page.getByRole('heading', { name: '知识库', level: 1 }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
    await page.reload();
    await page.getByRole('heading', { name: '知识库', level: 1 }).waitFor();
    await page.context().close();
  });

  test('an API key is shown once', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/settings?section=keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('nightly report');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByRole('textbox', { name: 'Your new key' }).inputValue();
    assert.match(secret, /^rd-/);
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /nightly report/ }).waitFor();
    assert.equal(await page.getByText(secret).count(), 0);
    await page.context().close();
  });

  test('signing out ends the session', async () => {
    const page = await newPage(desk.browser, desk.url);
    await signIn(page);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in**');
    await page.goto('/ask');
    await page.waitForURL('**/sign-in**');
    await page.context().close();
  });
}
