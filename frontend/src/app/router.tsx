/** The map of the page. Every room is a file of its own that is loaded when it is entered. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ProblemError } from '../api';
import { baseTabs } from './baseTabs';
import { queryClient } from './queryClient';
import { NotFound, RouteProblem } from './RouteProblem';
import { Shell } from './Shell';
import { sessionQuery } from './session';

const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: RouteProblem,
  notFoundComponent: NotFound,
});

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  validateSearch: (search): { token?: string } =>
    search.token === undefined ? {} : { token: String(search.token) },
  component: lazyRouteComponent(() => import('../features/setup/SetupPage')),
});
const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { next?: string } =>
    typeof search.next === 'string' && search.next.startsWith('/') && !search.next.startsWith('//')
      ? { next: search.next }
      : {},
  component: lazyRouteComponent(() => import('../features/setup/SignInPage')),
});
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('../features/setup/InvitationPage')),
});

const houseRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'house',
  component: Shell,
  beforeLoad: async ({ location }) => {
    let session = null;
    try {
      session = await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'setup-required') throw redirect({ to: '/setup' });
      throw error;
    }
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});
const homeRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/ask', replace: true });
  },
});
const welcomeRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../features/setup/WelcomePage')),
});
const askRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/ask',
  validateSearch: (search): { application?: string; base?: string; question?: string } => ({
    ...(typeof search.application === 'string' ? { application: search.application } : {}),
    ...(typeof search.base === 'string' ? { base: search.base } : {}),
    ...(typeof search.question === 'string' ? { question: search.question } : {}),
  }),
  component: lazyRouteComponent(() => import('../features/ask/AskPage')),
});
const conversationRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/ask/$conversationId',
  component: lazyRouteComponent(() => import('../features/ask/ConversationPage')),
});
const traceRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/trace/$runId',
  validateSearch: (search): { before?: string } =>
    typeof search.before === 'string' ? { before: search.before } : {},
  component: lazyRouteComponent(() => import('../features/trace/TracePage')),
});
const knowledgeRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/knowledge',
  component: lazyRouteComponent(() => import('../features/knowledge/KnowledgePage')),
});
const baseRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/knowledge/$baseId',
  validateSearch: (search): { tab?: (typeof baseTabs)[number]; imported?: boolean } => {
    const tab = baseTabs.find((name) => name === search.tab);
    return { ...(tab ? { tab } : {}), ...(search.imported === true ? { imported: true } : {}) };
  },
  component: lazyRouteComponent(() => import('../features/knowledge/BasePage')),
});
const previewRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/knowledge/$baseId/preview',
  validateSearch: (search): { document?: string } =>
    typeof search.document === 'string' ? { document: search.document } : {},
  component: lazyRouteComponent(() => import('../features/preview/PreviewPage')),
});
export const documentPanels = ['versions', 'details', 'split'] as const;
interface DocumentSearch {
  paragraph?: string;
  start?: number;
  length?: number;
  version?: number;
  from?: number;
  to?: number;
  panel?: (typeof documentPanels)[number];
  /** The answer that leads here, and the number of its citation. */
  run?: string;
  cite?: number;
}
const documentRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/documents/$documentId',
  validateSearch: (search): DocumentSearch => {
    const numbers = Object.fromEntries(
      (['start', 'length', 'version', 'from', 'to', 'cite'] as const).flatMap((name) =>
        typeof search[name] === 'number' ? [[name, search[name]]] : [],
      ),
    );
    const panel = documentPanels.find((name) => name === search.panel);
    return {
      ...(typeof search.paragraph === 'string' ? { paragraph: search.paragraph } : {}),
      ...(typeof search.run === 'string' ? { run: search.run } : {}),
      ...numbers,
      ...(panel ? { panel } : {}),
    };
  },
  component: lazyRouteComponent(() => import('../features/document/DocumentPage')),
});
const testSetsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/test-sets',
  component: lazyRouteComponent(() => import('../features/test-sets/TestSetsPage')),
});
const testSetRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/test-sets/$setId',
  component: lazyRouteComponent(() => import('../features/test-sets/TestSetPage')),
});
const applicationsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/applications',
  component: lazyRouteComponent(() => import('../features/applications/ApplicationsPage')),
});
const newApplicationRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/applications/new',
  component: lazyRouteComponent(() => import('../features/applications/NewApplicationPage')),
});
const applicationRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/applications/$applicationId',
  component: lazyRouteComponent(() => import('../features/applications/ApplicationPage')),
});
const intentsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/applications/$applicationId/intents',
  component: lazyRouteComponent(() => import('../features/intents/IntentsPage')),
});
export const toolTabs = ['servers', 'python', 'http', 'all'] as const;
const toolsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/tools',
  validateSearch: (search): { tab?: (typeof toolTabs)[number] } => {
    const tab = toolTabs.find((name) => name === search.tab);
    return tab ? { tab } : {};
  },
  component: lazyRouteComponent(() => import('../features/tools/ToolsPage')),
});
const skillsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/skills',
  component: lazyRouteComponent(() => import('../features/skills/SkillsPage')),
});
const modelsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/models',
  component: lazyRouteComponent(() => import('../features/models/ModelsPage')),
});
const policiesRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/models/health',
  component: lazyRouteComponent(() => import('../features/policies/PoliciesPage')),
});
const modelRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/models/$modelId',
  component: lazyRouteComponent(() => import('../features/models/ModelPage')),
});
export const usageTabs = ['overview', 'limits', 'prices', 'caches'] as const;
const usageRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/usage',
  validateSearch: (search): { tab?: (typeof usageTabs)[number] } => {
    const tab = usageTabs.find((name) => name === search.tab);
    return tab ? { tab } : {};
  },
  component: lazyRouteComponent(() => import('../features/usage/UsagePage')),
});
export const settingsSections = [
  'profile',
  'members',
  'groups',
  'keys',
  'sources',
  'workspaces',
  'users',
  'secrets',
  'audit',
] as const;
const settingsRoute = createRoute({
  getParentRoute: () => houseRoute,
  path: '/settings',
  validateSearch: (search): { section?: (typeof settingsSections)[number] } => {
    const section = settingsSections.find((name) => name === search.section);
    return section ? { section } : {};
  },
  component: lazyRouteComponent(() => import('../features/settings/SettingsPage')),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    setupRoute,
    signInRoute,
    invitationRoute,
    houseRoute.addChildren([
      homeRoute,
      welcomeRoute,
      askRoute,
      conversationRoute,
      traceRoute,
      knowledgeRoute,
      baseRoute,
      previewRoute,
      documentRoute,
      testSetsRoute,
      testSetRoute,
      applicationsRoute,
      newApplicationRoute,
      applicationRoute,
      intentsRoute,
      toolsRoute,
      skillsRoute,
      modelsRoute,
      policiesRoute,
      modelRoute,
      usageRoute,
      settingsRoute,
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
