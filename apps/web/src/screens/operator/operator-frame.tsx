import { Link, Outlet } from '@tanstack/react-router'
import { SectionTabs, tabLook } from '../../ui/section-tabs.tsx'

const sections = [
  { to: '/operator', label: 'Health', isExact: true },
  { to: '/operator/jobs', label: 'Jobs', isExact: false },
  { to: '/operator/sandboxes', label: 'Sandboxes', isExact: false },
  { to: '/operator/people', label: 'People', isExact: false },
  { to: '/operator/settings', label: 'Settings', isExact: false },
  { to: '/operator/mail', label: 'Mail', isExact: false },
] as const

/** The instance, for whoever runs it. */
export function OperatorFrame() {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <SectionTabs label="Operator" name="Operator">
        {sections.map(({ to, label, isExact }) => (
          <Link key={to} to={to} activeOptions={{ exact: isExact }} className={tabLook}>
            {label}
          </Link>
        ))}
      </SectionTabs>
      <Outlet />
    </div>
  )
}
