import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { AppShell } from './shell/app-shell.tsx'
import { NotFound, ScreenFailed } from './shell/screen-states.tsx'
import { SkeletonRows } from './ui/skeleton.tsx'

/** Every screen is a file of its own that loads when it is first opened. */
const root = createRootRoute({ component: AppShell, notFoundComponent: NotFound, errorComponent: ScreenFailed })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/projects' })
  },
})

const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('./screens/projects/projects-screen.tsx'), 'ProjectsScreen'),
})

const profile = createRoute({
  getParentRoute: () => root,
  path: '/profile',
  component: lazyRouteComponent(() => import('./screens/profile/profile-screen.tsx'), 'ProfileScreen'),
})

const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./screens/project/project-frame.tsx'), 'ProjectFrame'),
})
const inProject = { getParentRoute: () => project }

const projectHome = createRoute({
  ...inProject,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/project/project-home.tsx'), 'ProjectHome'),
})

const sessions = createRoute({
  ...inProject,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./screens/sessions/sessions-screen.tsx'), 'SessionsScreen'),
})

const session = createRoute({
  ...inProject,
  path: '/sessions/$sessionId',
  component: lazyRouteComponent(() => import('./screens/session/session-screen.tsx'), 'SessionScreen'),
})

const changeRequests = createRoute({
  ...inProject,
  path: '/change-requests',
  component: lazyRouteComponent(
    () => import('./screens/change-requests/change-requests-screen.tsx'),
    'ChangeRequestsScreen',
  ),
})

const changeRequest = createRoute({
  ...inProject,
  path: '/change-requests/$crId',
  component: lazyRouteComponent(
    () => import('./screens/change-requests/change-request-screen.tsx'),
    'ChangeRequestScreen',
  ),
})

/** A word from the address; anything else counts as not given. */
const word = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

interface PlaceSearch {
  readonly ref?: string | undefined
  readonly path?: string | undefined
}

const files = createRoute({
  ...inProject,
  path: '/files',
  validateSearch: ({ ref, path, file }: Record<string, unknown>): PlaceSearch & { file?: string | undefined } => ({
    ref: word(ref),
    path: word(path),
    file: word(file),
  }),
  component: lazyRouteComponent(() => import('./screens/files/files-screen.tsx'), 'FilesScreen'),
})

const history = createRoute({
  ...inProject,
  path: '/history',
  validateSearch: ({ ref, path }: Record<string, unknown>): PlaceSearch => ({ ref: word(ref), path: word(path) }),
  component: lazyRouteComponent(() => import('./screens/files/history-screen.tsx'), 'HistoryScreen'),
})

const commit = createRoute({
  ...inProject,
  path: '/history/$sha',
  component: lazyRouteComponent(() => import('./screens/files/commit-screen.tsx'), 'CommitScreen'),
})

const agents = createRoute({
  ...inProject,
  path: '/agents',
  component: lazyRouteComponent(() => import('./screens/agents/agents-frame.tsx'), 'AgentsFrame'),
})
const inAgents = { getParentRoute: () => agents }

const agentList = createRoute({
  ...inAgents,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/agents/agents-screen.tsx'), 'AgentsScreen'),
})

const manifest = createRoute({
  ...inAgents,
  path: '/manifest',
  component: lazyRouteComponent(() => import('./screens/agents/manifest-screen.tsx'), 'ManifestScreen'),
})

const models = createRoute({
  ...inProject,
  path: '/models',
  component: lazyRouteComponent(() => import('./screens/models/models-frame.tsx'), 'ModelsFrame'),
})
const inModels = { getParentRoute: () => models }

const modelFigures = createRoute({
  ...inModels,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/models/figures.tsx'), 'FiguresScreen'),
})

const modelCalls = createRoute({
  ...inModels,
  path: '/calls',
  component: lazyRouteComponent(() => import('./screens/models/gateway-logs.tsx'), 'CallsScreen'),
})

const routing = createRoute({
  ...inModels,
  path: '/routing',
  component: lazyRouteComponent(() => import('./screens/models/routing-screen.tsx'), 'RoutingScreen'),
})

const playground = createRoute({
  ...inModels,
  path: '/playground',
  component: lazyRouteComponent(() => import('./screens/models/playground-screen.tsx'), 'PlaygroundScreen'),
})

const budgets = createRoute({
  ...inModels,
  path: '/budgets',
  component: lazyRouteComponent(() => import('./screens/models/budgets.tsx'), 'BudgetsScreen'),
})

const modelKeys = createRoute({
  ...inModels,
  path: '/keys',
  component: lazyRouteComponent(() => import('./screens/models/gateway-keys.tsx'), 'KeysScreen'),
})

const secrets = createRoute({
  ...inProject,
  path: '/secrets',
  component: lazyRouteComponent(() => import('./screens/secrets/secrets-screen.tsx'), 'SecretsScreen'),
})

const access = createRoute({
  ...inProject,
  path: '/access',
  component: lazyRouteComponent(() => import('./screens/access/access-screen.tsx'), 'AccessScreen'),
})

const settings = createRoute({
  ...inProject,
  path: '/settings',
  component: lazyRouteComponent(() => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/accounts/$accountId',
  component: lazyRouteComponent(() => import('./screens/account/account-frame.tsx'), 'AccountFrame'),
})
const inAccount = { getParentRoute: () => account }

const members = createRoute({
  ...inAccount,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/account/members-screen.tsx'), 'MembersScreen'),
})

const accountTokens = createRoute({
  ...inAccount,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./screens/account/account-tokens-screen.tsx'), 'AccountTokensScreen'),
})

const branding = createRoute({
  ...inAccount,
  path: '/branding',
  component: lazyRouteComponent(() => import('./screens/account/branding-screen.tsx'), 'BrandingScreen'),
})

const audit = createRoute({
  ...inAccount,
  path: '/audit',
  component: lazyRouteComponent(() => import('./screens/account/audit-screen.tsx'), 'AuditScreen'),
})

const cliAuthorize = createRoute({
  getParentRoute: () => root,
  path: '/cli/authorize',
  validateSearch: ({
    callback,
    state,
    label,
  }: Record<string, unknown>): {
    callback?: string | undefined
    state?: string | undefined
    label?: string | undefined
  } => ({
    callback: word(callback),
    state: word(state),
    label: word(label),
  }),
  component: lazyRouteComponent(() => import('./screens/cli/authorize-screen.tsx'), 'AuthorizeScreen'),
})

const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('./screens/operator/operator-frame.tsx'), 'OperatorFrame'),
})
const inOperator = { getParentRoute: () => operator }

const health = createRoute({
  ...inOperator,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/operator/health-screen.tsx'), 'HealthScreen'),
})

const jobs = createRoute({
  ...inOperator,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./screens/operator/jobs-screen.tsx'), 'JobsScreen'),
})

const sandboxes = createRoute({
  ...inOperator,
  path: '/sandboxes',
  component: lazyRouteComponent(() => import('./screens/operator/sandboxes-screen.tsx'), 'SandboxesScreen'),
})

const people = createRoute({
  ...inOperator,
  path: '/people',
  component: lazyRouteComponent(() => import('./screens/operator/people-screen.tsx'), 'PeopleScreen'),
})

const operatorSettings = createRoute({
  ...inOperator,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('./screens/operator/operator-settings-screen.tsx'),
    'OperatorSettingsScreen',
  ),
})

const mail = createRoute({
  ...inOperator,
  path: '/mail',
  component: lazyRouteComponent(() => import('./screens/operator/mail-screen.tsx'), 'MailScreen'),
})

const routeTree = root.addChildren([
  home,
  projects,
  profile,
  project.addChildren([
    projectHome,
    sessions,
    session,
    changeRequests,
    changeRequest,
    files,
    history,
    commit,
    agents.addChildren([agentList, manifest]),
    models.addChildren([modelFigures, modelCalls, routing, playground, budgets, modelKeys]),
    secrets,
    access,
    settings,
  ]),
  cliAuthorize,
  account.addChildren([members, accountTokens, branding, audit]),
  operator.addChildren([health, jobs, sandboxes, people, operatorSettings, mail]),
])

/** Every value in an address is text, so that a branch called 2024 stays one. */
function writeSearch(search: Record<string, unknown>): string {
  const words = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return words.length === 0 ? '' : `?${new URLSearchParams(words)}`
}

export const router = createRouter({
  routeTree,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <SkeletonRows rows={6} />,
  defaultPendingMs: 300,
  // A screen that fails leaves the way to all others standing.
  defaultErrorComponent: ScreenFailed,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
