/** The page in a real browser against the real server: one server for all stories, which run in this order. */
import { after, before, describe } from 'node:test';
import { startBrowser, startServer } from './harness.mjs';
import { startModel } from './model.mjs';
import { accessibility } from './stories/accessibility.mjs';
import { applications } from './stories/applications.mjs';
import { firstMinutes } from './stories/first-minutes.mjs';
import { keyboard } from './stories/keyboard.mjs';
import { knowledge } from './stories/knowledge.mjs';
import { people } from './stories/people.mjs';
import { phone } from './stories/phone.mjs';
import { streaming } from './stories/streaming.mjs';

/** What the stories share: addresses, the signed-in browser state, and what earlier stories made. */
const desk = { server: null, browser: null, model: null, url: '', state: null, base: null };

describe('the page', { timeout: 2_400_000 }, () => {
  before(async () => {
    desk.model = await startModel();
    desk.server = await startServer();
    desk.url = desk.server.url;
    desk.browser = await startBrowser();
  });
  after(async () => {
    await desk.browser?.close();
    await desk.server?.stop();
    await desk.model?.stop();
  });
  firstMinutes(desk);
  people(desk);
  knowledge(desk);
  applications(desk);
  keyboard(desk);
  phone(desk);
  accessibility(desk);
  streaming(desk);
});
