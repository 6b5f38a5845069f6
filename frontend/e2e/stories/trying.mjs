import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from '../axe.mjs';
import { newPage } from '../harness.mjs';
import { redPoint, startModel } from '../model.mjs';

const picture = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(redPoint, 'base64') };
const recording = { name: 'said.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF') };

/** Connects a model of a kind by choosing its vendor first. */
async function connect(page, model, kind, name) {
  await page.goto('/models');
  await page.getByRole('button', { name: 'Add a model' }).click();
  await page.getByLabel('Search vendors').fill('openai');
  await page.getByRole('button', { name: /^OpenAI/ }).click();
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: kind, exact: true }).click();
  await page.getByLabel('Address').fill(model.url);
  await page.getByLabel('API key').fill('sk-story-12345');
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Models of every kind: chosen by vendor, tried on their page. */
export function trying(desk) {
  test('every kind of model is connected by its vendor and tried on its page', async () => {
    const model = await startModel();
    model.script.words = ['A red point.'];
    const page = await newPage(desk.browser, desk.url, { storageState: desk.state });
    const faults = [];
    const look = async (name) => {
      for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`);
    };

    await connect(page, model, 'Picture understanding', 'seer');
    await page.locator('input[type=file]').setInputFiles(picture);
    await page.getByLabel('Question').fill('What is it?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('A red point.').waitFor();
    await look('seer');

    await connect(page, model, 'Speech to text', 'hearer');
    await page.locator('input[type=file]').setInputFiles(recording);
    await page.getByRole('button', { name: 'Write it down' }).click();
    await page.getByText('A red point.').waitFor();
    await look('hearer');

    await connect(page, model, 'Text to speech', 'speaker');
    await page.getByLabel('Text to speak').fill('Good morning');
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    const sound = page.locator('audio');
    await sound.waitFor();
    // What the browser could not load, or was not let, has no length.
    await page.waitForFunction(() => document.querySelector('audio').duration > 0);
    await look('speaker');

    await connect(page, model, 'Text to picture', 'painter');
    await page.getByLabel('What to draw').fill('A red point');
    await page.getByRole('button', { name: 'Draw', exact: true }).click();
    await page.getByRole('img', { name: 'A red point' }).waitFor();
    await look('painter');

    await connect(page, model, 'Text to video', 'filmer');
    await page.getByLabel('What happens').fill('Waves');
    await page.getByRole('button', { name: 'Film', exact: true }).click();
    await page.locator('video').waitFor();
    await page.reload();
    await page.locator('video').waitFor();
    assert.equal(await page.locator('video').count(), 1);
    await look('filmer');
    await page.setViewportSize({ width: 390, height: 844 });
    await look('filmer on a phone');

    assert.deepEqual(faults, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await model.stop();
  });
}
