import applications from './applications.json';
import ask from './ask.json';
import common from './common.json';
import document from './document.json';
import knowledge from './knowledge.json';
import models from './models.json';
import notices from './notices.json';
import problems from './problems.json';
import reasons from './reasons.json';
import settings from './settings.json';
import setup from './setup.json';
import shell from './shell.json';
import stages from './stages.json';
import warnings from './warnings.json';

export default {
  applications,
  ask,
  common,
  document,
  knowledge,
  models,
  notices,
  problems,
  reasons,
  settings,
  setup,
  shell,
  stages,
  warnings,
};
