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

const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./screens/project/project-frame.tsx'), 'ProjectFrame'),
})

const projectHome = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/project/project-home.tsx'), 'ProjectHome'),
})

const sessions = createRoute({
  getParentRoute: () => project,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./screens/sessions/sessions-screen.tsx'), 'SessionsScreen'),
})

const session = createRoute({
  getParentRoute: () => project,
  path: '/sessions/$sessionId',
  component: lazyRouteComponent(() => import('./screens/session/session-screen.tsx'), 'SessionScreen'),
})

const changeRequests = createRoute({
  getParentRoute: () => project,
  path: '/change-requests',
  component: lazyRouteComponent(
    () => import('./screens/change-requests/change-requests-screen.tsx'),
    'ChangeRequestsScreen',
  ),
})

const changeRequest = createRoute({
  getParentRoute: () => project,
  path: '/change-requests/$crId',
  component: lazyRouteComponent(
    () => import('./screens/change-requests/change-request-screen.tsx'),
    'ChangeRequestScreen',
  ),
})

const inProject = [projectHome, sessions, session, changeRequests, changeRequest]
const routeTree = root.addChildren([home, projects, project.addChildren(inProject)])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <SkeletonRows rows={6} />,
  defaultPendingMs: 300,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
