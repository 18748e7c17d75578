import { Link, Outlet } from '@tanstack/react-router'
import { operatorSections } from '../../shell/sections.ts'
import { SectionTabs, tabLook } from '../../ui/section-tabs.tsx'

/** The instance, for whoever runs it. */
export function OperatorFrame() {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <SectionTabs label="Operator" name="Operator">
        {operatorSections.map(({ to, label, isExact }) => (
          <Link key={to} to={to} activeOptions={{ exact: isExact }} className={tabLook}>
            {label}
          </Link>
        ))}
      </SectionTabs>
      <Outlet />
    </div>
  )
}
