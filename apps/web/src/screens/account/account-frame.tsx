import { useAccount } from '@svc/sdk/react'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { accountSections } from '../../shell/sections.ts'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SectionTabs, tabLook } from '../../ui/section-tabs.tsx'

/** What all screens of one account share. */
export function AccountFrame() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const { data: account, error, refetch } = useAccount(accountId)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <SectionTabs label="Account" name={account?.name ?? ' '}>
        {accountSections.map(({ to, label, isExact }) => (
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
