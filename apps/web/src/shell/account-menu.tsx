import { Link } from '@tanstack/react-router'
import { Check, Monitor, Moon, Sun } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { signOut } from '../session/sign-out.ts'
import { readTheme, setTheme, type Theme } from '../theme/apply-theme.ts'
import { showProblem } from '../ui/toasts.tsx'
import { chooseAccount, useChosenAccount } from './account-choice.ts'
import { useIsOperator } from './is-operator.ts'

const itemLook =
  'flex w-full cursor-default items-center gap-2 rounded px-2 py-1.5 outline-none data-[highlighted]:bg-sunken select-none'

/** Accounts to switch between, the theme, and the way out. */
export function AccountMenu() {
  const { account, accounts } = useChosenAccount()
  const [theme, setShownTheme] = useState(readTheme)
  const pickTheme = (next: string) => {
    setTheme(next as Theme)
    setShownTheme(next as Theme)
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="flex h-9 max-w-44 items-center gap-2 rounded-md border sm:max-w-64 border-line-strong px-3">
        <span className="truncate">{account?.name ?? 'Account'}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 w-60 rounded-lg border border-line bg-surface p-1 shadow-lg"
        >
          <Label>Accounts</Label>
          {accounts.map(({ account_id, name }) => (
            <DropdownMenu.Item key={account_id} className={itemLook} onSelect={() => chooseAccount(account_id)}>
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {account_id === account?.account_id && <Check aria-label="chosen" className="size-4 text-accent" />}
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className="my-1 border-t border-line" />
          <Label>Theme</Label>
          <DropdownMenu.RadioGroup value={theme} onValueChange={pickTheme}>
            <ThemeItem value="system" icon={<Monitor className="size-4" />} label="System" />
            <ThemeItem value="light" icon={<Sun className="size-4" />} label="Light" />
            <ThemeItem value="dark" icon={<Moon className="size-4" />} label="Dark" />
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 border-t border-line" />
          {account && (
            <DropdownMenu.Item className={itemLook} asChild>
              <Link to="/accounts/$accountId" params={{ accountId: account.account_id }}>
                Account settings
              </Link>
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item className={itemLook} asChild>
            <Link to="/profile">Your profile</Link>
          </DropdownMenu.Item>
          <OperatorItem />
          <DropdownMenu.Separator className="my-1 border-t border-line" />
          <DropdownMenu.Item className={itemLook} onSelect={() => void signOut().catch(showProblem)}>
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** Asked for only while the menu is open: most people are no operators. */
function OperatorItem() {
  if (!useIsOperator()) return null
  return (
    <DropdownMenu.Item className={itemLook} asChild>
      <Link to="/operator">Operator</Link>
    </DropdownMenu.Item>
  )
}

function Label({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className="px-2 py-1 text-xs text-ink-faint">{children}</DropdownMenu.Label>
}

function ThemeItem({
  value,
  icon,
  label,
}: {
  readonly value: Theme
  readonly icon: ReactNode
  readonly label: string
}) {
  return (
    <DropdownMenu.RadioItem value={value} className={itemLook}>
      {icon}
      <span className="flex-1">{label}</span>
      <DropdownMenu.ItemIndicator>
        <Check className="size-4 text-accent" />
      </DropdownMenu.ItemIndicator>
    </DropdownMenu.RadioItem>
  )
}
