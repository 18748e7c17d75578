import { Link, Outlet } from '@tanstack/react-router'
import { AccountMenu } from './account-menu.tsx'
import { Brand } from './brand.tsx'
import { CommandPalette } from './command-palette.tsx'

/** The frame of every screen: where you are, who you are, and a way to everywhere. */
export function AppShell() {
  return (
    // A screen that scrolls inside itself, as a conversation does, marks itself with data-fill.
    <div className="flex min-h-dvh flex-col has-[[data-fill]]:h-dvh">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-13 shrink-0 items-center gap-3 border-b border-line bg-surface px-4">
        <Link to="/projects" className="rounded font-semibold tracking-tight">
          <Brand />
        </Link>
        <div className="ml-auto flex items-center gap-2">
          <CommandPalette />
          <AccountMenu />
        </div>
      </header>
      <main id="main" className="flex min-h-0 flex-1 flex-col">
        <Outlet />
      </main>
    </div>
  )
}
