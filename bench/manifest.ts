import { validateManifest } from '@svc/manifest'
import { parseDocument } from 'yaml'
import { alternate, formatTable } from './support/rounds.ts'

/**
 * Manifest text to issues with positions, beside the YAML parser alone, and how both grow with the text.
 * Bound: at most twice the parser at 200 lines.
 */

const ROUNDS = 5
const LINE_COUNTS = [100, 200, 1_000, 10_000]
const BOUND = { lines: 200, ratio: 2 }

export async function run(): Promise<void> {
  const rows: string[][] = []
  for (const kind of ['valid', 'with issues'] as const) {
    let firstPerLineMs = 0
    for (const lines of LINE_COUNTS) {
      const { peerMs, oursMs } = await measure(lines, kind)
      const ratio = oursMs / peerMs
      firstPerLineMs ||= oursMs / lines
      const growth = oursMs / lines / firstPerLineMs
      rows.push([kind, String(lines), ms(peerMs), ms(oursMs), ratio.toFixed(2), growth.toFixed(2)])
      if (lines === BOUND.lines && ratio > BOUND.ratio) process.exitCode = 1
    }
  }
  const head = ['manifest', 'lines', 'parseDocument', 'validateManifest', 'ratio', 'time per line, first = 1']
  console.log(formatTable(head, rows))
}

async function measure(lines: number, kind: 'valid' | 'with issues'): Promise<{ peerMs: number; oursMs: number }> {
  const text = makeManifest(lines, kind === 'with issues')
  const repeats = Math.max(3, Math.round(20_000 / lines))
  const found = validateManifest(text, 'yaml').issues.length
  if ((kind === 'valid') !== (found === 0)) throw new Error(`the ${kind} manifest has ${found} issues`)
  const sides = [() => parseDocument(text).errors.length, () => validateManifest(text, 'yaml').issues.length]
  const [peerMs = 0, oursMs = 0] = await alternate(ROUNDS, sides, async (work) => timeMs(work, repeats))
  return { peerMs, oursMs }
}

function timeMs(work: () => number, repeats: number): number {
  const start = performance.now()
  for (let repeat = 0; repeat < repeats; repeat += 1) work()
  return (performance.now() - start) / repeats
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}

/** A version 2 manifest of about this many lines. With issues, every tenth trigger has a typo and a bad schedule. */
function makeManifest(lines: number, hasIssues: boolean): string {
  const parts = ['svc_version: 2', 'default_agent: svc', 'agents:', '  svc:', '    connectors: all', '    secrets: all']
  parts.push('connectors:')
  let length = parts.length
  for (let index = 0; length < lines / 2; index += 1) {
    parts.push(
      `  # connector ${index}`,
      `  - slug: api-${index}`,
      '    provider: http',
      `    base_url: https://api-${index}.test/v1`,
      '    auth:',
      '      type: bearer',
      '    headers: {X-Team: core, X-Env: "prod"}',
      '    policies:',
      '      - match: "delete_*"',
      '        action: require_approval',
    )
    length += 10
  }
  parts.push('triggers:')
  for (let index = 0; length < lines - 1; index += 1) {
    const isBad = hasIssues && index % 10 === 0
    parts.push(
      `  - slug: report-${index}`,
      `    type: ${isBad ? 'crom' : 'cron'}`,
      `    cron: "0 ${index % 60} 9 * * 1-5"`,
      `    timezone: ${isBad ? 'Europe/Berlim' : 'Europe/Berlin'}`,
      '    agent: svc',
      '    session_mode: fresh',
      '    prompt: |',
      '      Write the report for {{ date }}.',
    )
    length += 8
  }
  return `${parts.join('\n')}\n`
}
