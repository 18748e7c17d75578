import { Link, Outlet, useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { SubTabs, subTabLook } from '../../ui/sub-tabs.tsx'

const parts = [
  { to: '/projects/$projectId/models', label: 'Figures' },
  { to: '/projects/$projectId/models/calls', label: 'Calls' },
  { to: '/projects/$projectId/models/routing', label: 'Routing' },
  { to: '/projects/$projectId/models/playground', label: 'Playground' },
  { to: '/projects/$projectId/models/budgets', label: 'Budgets' },
  { to: '/projects/$projectId/models/keys', label: 'Keys' },
] as const

/** What all screens about models share. */
export function ModelsFrame() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  return (
    <Page title="Models" intro="Which models answer, what they were called for, what they cost, and what may be spent.">
      <SubTabs label="Models">
        {parts.map(({ to, label }) => (
          <Link key={to} to={to} params={{ projectId }} activeOptions={{ exact: true }} className={subTabLook}>
            {label}
          </Link>
        ))}
      </SubTabs>
      <Outlet />
    </Page>
  )
}

export const useModelsProject = () => useParams({ from: '/projects/$projectId' }).projectId
