import { stripAnsi } from '@svc/sdk'
import { useMemo } from 'react'

const colours: Readonly<Record<string, string>> = {
  31: 'text-bad',
  32: 'text-good',
  33: 'text-warn',
  34: 'text-accent',
  35: 'text-accent',
  36: 'text-accent',
  90: 'text-ink-faint',
  91: 'text-bad',
  92: 'text-good',
  93: 'text-warn',
}

interface Run {
  readonly text: string
  readonly look: string
}

/** Terminal output with its colours; every other control sequence is left out. */
export function AnsiText({ text }: { readonly text: string }) {
  const runs = useMemo(() => readRuns(text), [text])
  return runs.map(({ text: run, look }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: runs of one text have no other name
    <span key={index} className={look}>
      {run}
    </span>
  ))
}

function readRuns(text: string): Run[] {
  const runs: Run[] = []
  let look = ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins a colour
  for (const [index, piece] of text.split(/\u001b\[([\d;]{0,32})m/).entries()) {
    if (index % 2 === 1) look = lookOf(piece)
    else if (piece !== '') runs.push({ text: stripAnsi(piece), look })
  }
  return runs
}

function lookOf(codes: string): string {
  const list = codes.split(';')
  const colour = list.map((code) => colours[code]).find(Boolean) ?? ''
  return list.includes('1') ? `${colour} font-semibold` : colour
}
