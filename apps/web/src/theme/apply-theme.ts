/** Light, dark, or as the system says. Kept in the browser; nothing secret is. */
export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'svc.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

export function readTheme(): Theme {
  const kept = localStorage.getItem(storageKey)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme)
  applyTheme()
}

function applyTheme(): void {
  const theme = readTheme()
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.classList.toggle('dark', isDark)
}

applyTheme()
dark.addEventListener('change', applyTheme)
