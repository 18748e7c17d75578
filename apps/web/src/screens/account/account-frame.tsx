import { useAccount } from '@svc/sdk/react'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SectionTabs, tabLook } from '../../ui/section-tabs.tsx'

const sections = [
  { to: '/accounts/$accountId', label: 'Members', isExact: true },
  { to: '/accounts/$accountId/tokens', label: 'Tokens', isExact: false },
  { to: '/accounts/$accountId/branding', label: 'Branding', isExact: false },
  { to: '/accounts/$accountId/audit', label: 'Audit', isExact: false },
] as const

/** What all screens of one account share. */
export function AccountFrame() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const { data: account, error, refetch } = useAccount(accountId)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <SectionTabs label="Account" name={account?.name ?? ' '}>
        {sections.map(({ to, label, isExact }) => (
          <Link key={to} to={to} params={{ accountId }} activeOptions={{ exact: isExact }} className={tabLook}>
            {label}
          </Link>
        ))}
      </SectionTabs>
      {error && (
        <div className="p-4 sm:px-8">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      <Outlet />
    </div>
  )
}
