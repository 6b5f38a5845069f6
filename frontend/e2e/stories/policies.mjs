import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../axe.mjs';
import { newPage } from '../harness.mjs';
import { startModel } from '../model.mjs';

/** Connects a chat model behind an OpenAI-compatible server. */
async function connect(page, url, name) {
  const session = await (await page.request.get('/api/v1/session')).json();
  const made = await page.request.post('/api/v1/models', {
    headers: { 'X-CSRF-Token': session.csrf_token },
    data: { kind: 'LLM', name, model_name: name, base_url: url },
  });
  assert.equal(made.status(), 201, await made.text());
}

/** A fallback policy from an empty list to a model that uses it; what would happen, step by step. */
export function policies(desk) {
  test('a fallback policy is written, tried without a call, and given to a model', async () => {
    const model = await startModel();
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    await page.goto('/models');
    for (const name of ['law-llm-v3', 'law-llm-v2']) await connect(page, model.url, name);
    await page.reload();
    await page.getByRole('link', { name: 'Health and fallback' }).click();
    await page.getByRole('heading', { name: 'Health and fallback', level: 1 }).waitFor();
    await page.getByText('No fallback policies yet').waitFor();
    await page.getByRole('button', { name: 'New policy' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('textbox', { name: /^Name/ }).fill('law');
    await sheet.getByRole('textbox', { name: /^If/ }).fill('respons_code == 503');
    await sheet.getByRole('combobox', { name: 'Other model' }).click();
    await page.getByRole('option', { name: 'law-llm-v2' }).click();
    await sheet.getByText('There is no respons_code', { exact: false }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await sheet.getByRole('textbox', { name: /^If/ }).fill('response_code == 503 || latency > 5000');
    await sheet.getByRole('combobox', { name: 'Model', exact: true }).click();
    await page.getByRole('option', { name: 'law-llm-v3' }).click();
    await sheet.getByRole('button', { name: 'Show the steps' }).click();
    await sheet.getByText('law-llm-v2 answers; the first word comes after', { exact: false }).waitFor();
    assert.equal(await sheet.getByText('Rule 1: asks again').count(), 2);
    assert.deepEqual(await faultsOf(page), []);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByText('ask law-llm-v2, after 2 further tries', { exact: false }).waitFor();
    await page.getByRole('combobox', { name: 'Fallback policy of law-llm-v3' }).click();
    await page.getByRole('option', { name: 'law' }).click();
    await page.getByText('Used by law-llm-v3').waitFor();
    await page.getByRole('button', { name: 'Set up law-llm-v3' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Path' }).fill('models');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Calls tools' }).click();
    await page.getByRole('option', { name: 'No', exact: true }).click();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText(/^Well, in/).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.context().close();
    await model.stop();
  });
}
