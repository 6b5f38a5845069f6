import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from '../harness.mjs';
import { serviceKey, startSearchService } from '../search-service.mjs';

const field = (form, name) => form.getByRole('textbox', { name, exact: true });

export function externalSources(desk) {
  test('a search service is connected, tested, searched, changed and disconnected', async () => {
    const service = await startSearchService();
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    try {
      await page.goto('/settings?section=sources');
      await page.getByText('No external sources yet').waitFor();
      await page.getByRole('button', { name: 'Connect a source' }).click();
      const form = page.getByRole('dialog', { name: 'Connect a source' });
      await field(form, 'Name').fill('Shop');
      await form.getByRole('button', { name: 'Test' }).click();
      await form.getByText('This is needed.').waitFor();
      await field(form, 'Address').fill(service.url);
      await field(form, 'Body of the request').fill('{"q": "{query}", "size": ');
      await form.getByRole('button', { name: 'Test' }).click();
      await form.getByText('This is not a JSON object', { exact: false }).waitFor();
      await field(form, 'Body of the request').fill('{"q": "{query}", "size": "{top_k}"}');
      await field(form, 'Path to the results').fill('hits');
      await field(form, 'Path to its text').fill('body');
      await field(form, 'Path to its score').fill('rank');
      await field(form, 'Path to its link').fill('link');
      await field(form, 'Path to its metadata').fill('facts');
      // The real error: first of the key, then of the path.
      await form.getByRole('button', { name: 'Test' }).click();
      await form.getByRole('alert').getByText('source-authentication').waitFor();
      await form.getByLabel('Key', { exact: true }).fill(serviceKey);
      await form.getByRole('button', { name: 'Test' }).click();
      await form
        .getByRole('alert')
        .getByText('no list of results at the configured path', { exact: false })
        .waitFor();
      await field(form, 'Path to the results').fill('data.hits');
      await form.getByRole('button', { name: 'Test' }).click();
      await form.getByRole('status').getByText('It answered in', { exact: false }).waitFor();
      await form.getByRole('button', { name: 'Connect a source' }).click();

      const card = page.getByRole('article', { name: 'Shop' });
      await card.getByText('Answered in', { exact: false }).waitFor();
      await card.getByRole('button', { name: 'Search in Shop' }).click();
      await card.getByRole('textbox', { name: 'Search in Shop' }).fill('returned receipt');
      await page.keyboard.press('Enter');
      const hit = card.getByRole('article', { name: 'Returning goods' });
      await hit.getByText('within thirty days', { exact: false }).waitFor();
      assert.equal(
        await hit.getByRole('link', { name: 'Returning goods' }).getAttribute('href'),
        'https://shop.example.org/returns',
      );
      await hit.getByText('score 1.00').waitFor();
      await hit.getByText('department: sales').waitFor();
      await card.getByRole('textbox', { name: 'Search in Shop' }).fill('flickers');
      await page.keyboard.press('Enter');
      // An address that a browser would run is no link.
      await card.getByRole('article', { name: 'Repairs' }).waitFor();
      assert.equal(await card.getByRole('article', { name: 'Repairs' }).getByRole('link').count(), 0);

      await card.getByRole('button', { name: 'Actions for Shop' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      const editing = page.getByRole('dialog', { name: 'Change “Shop”' });
      assert.equal(await editing.getByLabel('Key', { exact: true }).inputValue(), '');
      await field(editing, 'Name').fill('Store');
      await field(editing, 'Address').fill(`${service.url}/elsewhere`);
      await editing.getByRole('button', { name: 'Save' }).click();
      await editing.getByRole('alert').getByText('source-credential-needed').waitFor();
      await field(editing, 'Address').fill(service.url);
      await editing.getByRole('button', { name: 'Save' }).click();

      const renamed = page.getByRole('article', { name: 'Store' });
      await renamed.getByText('Answered in', { exact: false }).waitFor();
      await renamed.getByRole('button', { name: 'Actions for Store' }).click();
      await page.getByRole('menuitem', { name: 'Disconnect' }).click();
      await page.getByLabel('Type “Store” to confirm').fill('Store');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No external sources yet').waitFor();
      assert.deepEqual(page.problems, []);
    } finally {
      await page.context().close();
      await service.stop();
    }
  });

  test('a kind whose library is missing says how to install it', async () => {
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.route('**/api/v1/external-sources/kinds', async (route) => {
      const answer = await (await route.fetch()).json();
      for (const kind of answer.items) if (kind.kind === 'chroma') kind.is_installed = false;
      await route.fulfill({ json: answer });
    });
    await page.goto('/settings?section=sources');
    await page.getByRole('button', { name: 'Connect a source' }).click();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Chroma' }).click();
    const form = page.getByRole('dialog', { name: 'Connect a source' });
    await form.getByText("pip install 'refdesk[chroma]'").waitFor();
    assert.equal(await form.getByRole('button', { name: 'Test' }).isDisabled(), true);
    await page.context().close();
  });
}
