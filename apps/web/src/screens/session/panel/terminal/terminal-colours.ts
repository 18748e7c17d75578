import type { ITheme } from '@xterm/xterm'

const light = {
  black: '#14181f',
  red: '#b3261e',
  green: '#116b3f',
  yellow: '#8a4b00',
  blue: '#1d4ed8',
  magenta: '#7e22ce',
  cyan: '#0e6877',
  white: '#626c7b',
  brightBlack: '#626c7b',
  brightRed: '#c2342b',
  brightGreen: '#157a4a',
  brightYellow: '#9a5800',
  brightBlue: '#2563eb',
  brightMagenta: '#9333ea',
  brightCyan: '#0f7a8a',
  brightWhite: '#4a5361',
}

const dark = {
  black: '#3f4855',
  red: '#ff8f87',
  green: '#5fd894',
  yellow: '#f0b65c',
  blue: '#93b4ff',
  magenta: '#d8a4ff',
  cyan: '#6fd8e6',
  white: '#eceff4',
  brightBlack: '#939dab',
  brightRed: '#ffb3ad',
  brightGreen: '#8ee9b6',
  brightYellow: '#f7cf8f',
  brightBlue: '#b9ceff',
  brightMagenta: '#e6c6ff',
  brightCyan: '#a0e8f1',
  brightWhite: '#ffffff',
}

/** The terminal in the page's own colours, whichever theme is on. */
export function readColours(): ITheme {
  const root = document.documentElement
  const style = getComputedStyle(root)
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    ...(root.classList.contains('dark') ? dark : light),
    background: of('surface'),
    foreground: of('ink'),
    cursor: of('accent'),
    cursorAccent: of('surface'),
    selectionBackground: of('accent-soft'),
  }
}

/** Calls back whenever the theme changes; what it gives back ends that. */
export function watchColours(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => observer.disconnect()
}
