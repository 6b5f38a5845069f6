import access from './access.json';
import applications from './applications.json';
import ask from './ask.json';
import common from './common.json';
import comparing from './comparing.json';
import details from './details.json';
import document from './document.json';
import external from './external.json';
import graph from './graph.json';
import hitTest from './hitTest.json';
import intents from './intents.json';
import knowledge from './knowledge.json';
import models from './models.json';
import notices from './notices.json';
import paragraphs from './paragraphs.json';
import policies from './policies.json';
import preview from './preview.json';
import problems from './problems.json';
import prompts from './prompts.json';
import qa from './qa.json';
import questions from './questions.json';
import reasons from './reasons.json';
import rebuilding from './rebuilding.json';
import settings from './settings.json';
import setup from './setup.json';
import shell from './shell.json';
import skills from './skills.json';
import sources from './sources.json';
import splitting from './splitting.json';
import stages from './stages.json';
import storedTools from './storedTools.json';
import strategies from './strategies.json';
import terms from './terms.json';
import testSets from './testSets.json';
import tools from './tools.json';
import trace from './trace.json';
import usage from './usage.json';
import versions from './versions.json';
import warnings from './warnings.json';

export default {
  access,
  applications,
  ask,
  common,
  comparing,
  details,
  document,
  external,
  graph,
  hitTest,
  intents,
  knowledge,
  models,
  notices,
  paragraphs,
  policies,
  preview,
  problems,
  prompts,
  qa,
  questions,
  reasons,
  rebuilding,
  settings,
  setup,
  shell,
  skills,
  sources,
  splitting,
  stages,
  storedTools,
  strategies,
  terms,
  testSets,
  tools,
  trace,
  usage,
  versions,
  warnings,
};
