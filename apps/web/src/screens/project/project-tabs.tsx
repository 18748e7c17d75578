import { Link, Outlet, useParams } from '@tanstack/react-router'
import type { agentTabs, modelTabs } from '../../shell/sections.ts'
import { Page } from '../../ui/page.tsx'
import { SubTabs, subTabLook } from '../../ui/sub-tabs.tsx'

interface ProjectTabsProps {
  readonly title: string
  readonly intro: string
  readonly tabs: typeof agentTabs | typeof modelTabs
}

/** A section of a project that has several parts, each with an address of its own. */
export function ProjectTabs({ title, intro, tabs }: ProjectTabsProps) {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  return (
    <Page title={title} intro={intro}>
      <SubTabs label={title}>
        {tabs.map(({ to, label }) => (
          <Link key={to} to={to} params={{ projectId }} activeOptions={{ exact: true }} className={subTabLook}>
            {label}
          </Link>
        ))}
      </SubTabs>
      <Outlet />
    </Page>
  )
}
