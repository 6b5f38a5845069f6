/** The page in a real browser against the real server: one server for all stories, which run in this order. */
import { after, before, describe } from 'node:test';
import { startBrowser, startServer } from './harness.mjs';
import { startModel } from './model.mjs';
import { accessibility } from './stories/accessibility.mjs';
import { applications } from './stories/applications.mjs';
import { comparing } from './stories/comparing.mjs';
import { describing } from './stories/describing.mjs';
import { documents } from './stories/documents.mjs';
import { externalSources } from './stories/external-sources.mjs';
import { firstMinutes } from './stories/first-minutes.mjs';
import { gates } from './stories/gates.mjs';
import { hitTest } from './stories/hit-test.mjs';
import { keyboard } from './stories/keyboard.mjs';
import { knowledge } from './stories/knowledge.mjs';
import { people } from './stories/people.mjs';
import { phone } from './stories/phone.mjs';
import { policies } from './stories/policies.mjs';
import { streaming } from './stories/streaming.mjs';
import { traces } from './stories/traces.mjs';
import { trying } from './stories/trying.mjs';
import { versions } from './stories/versions.mjs';

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
  // The first makes what the others use; the rest can be chosen: REFDESK_STORIES=phone,streaming npm run e2e
  firstMinutes(desk);
  const rest = {
    people,
    knowledge,
    documents,
    versions,
    hitTest,
    comparing,
    gates,
    applications,
    externalSources,
    keyboard,
    phone,
    accessibility,
    streaming,
    traces,
    trying,
    policies,
    describing,
  };
  const only = process.env.REFDESK_STORIES?.split(',');
  for (const [name, story] of Object.entries(rest)) if (!only || only.includes(name)) story(desk);
});
