import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../axe.mjs';
import { call, newPage } from '../harness.mjs';
import { open, places } from './places.mjs';

/** Who has one workspace only does not see the switch between them. */
async function secondWorkspace(page) {
  const { workspaces } = await call(page, 'GET', '/session');
  if (workspaces.length < 2) await call(page, 'POST', '/workspaces', { name: 'Branch library' });
}

const phoneScreen = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export function accessibility(desk) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing on any page (${colorScheme})`, async () => {
      const page = await newPage(desk.browser, desk.url, { storageState: desk.state, colorScheme });
      await page.goto('/ask');
      await secondWorkspace(page);
      const faults = [];
      for (const [name, path] of await places(page, desk)) {
        await open(page, path);
        for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`);
      }
      await page.goto('/models');
      await page.getByRole('button', { name: 'Add a model' }).click();
      await page.getByLabel('Search vendors').waitFor();
      for (const fault of await faultsOf(page)) faults.push(`vendors: ${fault}`);
      await page.getByRole('button', { name: /^Zhipu/ }).click();
      await page.getByLabel('API key').waitFor();
      for (const fault of await faultsOf(page)) faults.push(`model drawer: ${fault}`);
      await page.goto('/ask');
      await page.getByRole('textbox', { name: 'Question' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
      for (const fault of await faultsOf(page)) faults.push(`palette: ${fault}`);
      assert.deepEqual(faults, []);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }

  test('axe finds nothing on a phone, nor in its menu', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state, ...phoneScreen });
    await page.goto('/ask');
    await secondWorkspace(page);
    const faults = [];
    for (const [name, path] of await places(page, desk)) {
      await open(page, path);
      for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`);
    }
    await page.goto('/knowledge');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Knowledge' }).waitFor();
    for (const fault of await faultsOf(page)) faults.push(`menu: ${fault}`);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('axe finds nothing at the door', async () => {
    const page = await newPage(desk.browser, desk.url);
    await open(page, '/sign-in');
    assert.deepEqual(await faultsOf(page), []);
    await page.context().close();
  });
}
