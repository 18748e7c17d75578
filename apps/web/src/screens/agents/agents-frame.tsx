import { Link, Outlet, useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { SubTabs, subTabLook } from '../../ui/sub-tabs.tsx'

const parts = [
  { to: '/projects/$projectId/agents', label: 'Agents and skills' },
  { to: '/projects/$projectId/agents/manifest', label: 'Manifest' },
] as const

/** Who works in a project, and the manifest that says so. */
export function AgentsFrame() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  return (
    <Page title="Agents" intro="Declared in the repository; a change to it is a change request like any other.">
      <SubTabs label="Agents">
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
