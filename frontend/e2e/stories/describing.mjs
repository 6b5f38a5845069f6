import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../axe.mjs';
import { newPage } from '../harness.mjs';
import { startModel } from '../model.mjs';

/** Models as text: one is filled from a server's list, taken in, and changed where a slip is told by its line. */
export function describing(desk) {
  test('a model is described in YAML, taken in, and edited with a live check', async () => {
    const model = await startModel();
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/models');
    await page.getByRole('button', { name: 'Descriptors' }).click();
    await page.getByRole('menuitem', { name: 'Add from YAML…' }).click();
    const sheet = page.getByRole('dialog');
    const text = sheet.getByRole('textbox', { name: 'Descriptor' });

    await text.fill('model_id: written\nkind: LLN\n');
    await sheet.getByRole('button', { name: 'Line 2' }).waitFor();
    await sheet.getByText('is missing').first().waitFor();
    assert.equal(await sheet.getByRole('button', { name: 'Take in' }).isDisabled(), true);
    assert.deepEqual(await faultsOf(page), []);

    await sheet.getByRole('combobox', { name: 'Vendor' }).click();
    await page.getByRole('option', { name: 'Any OpenAI-compatible server' }).click();
    await sheet.getByRole('textbox', { name: 'Address' }).fill(model.url);
    await sheet.getByRole('textbox', { name: 'Model', exact: true }).fill('written');
    await sheet.getByRole('button', { name: 'Fill the descriptor' }).click();
    await sheet.getByText('Nothing stands in the way').waitFor();
    assert.match(await text.inputValue(), /tool_calling_supported: true/);
    assert.deepEqual(await faultsOf(page), []);
    await sheet.getByRole('button', { name: 'Take in' }).click();
    await sheet.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'written', exact: true }).click();
    await page.getByRole('heading', { name: 'written', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await sheet.getByRole('tab', { name: 'YAML' }).click();
    const before = await text.inputValue();
    await text.fill(before.replace("version: '1'", 'version: 2'));
    await sheet.getByText('must be a text: put it in quotes', { exact: false }).waitFor();
    await text.fill(before.replace("version: '1'", "version: '2'"));
    await sheet.getByText('Changes: version').waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    const listed = await (await page.request.get('/mcp/models?q=model_id:written')).json();
    assert.equal(listed.items[0].version, '2');
    await page.context().close();
    await model.stop();
  });
}
