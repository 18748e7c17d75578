// `npm run doctor`: looks at every part by using it, and names a fix for each fault. Needs nothing but Node, so it
// works in a fresh clone. Names of parts (`npm run doctor -- port`) look at those alone; `--json` is for programs. Exit
// code 1 when something is broken; warnings do not count.
import { clone } from './doctor/clone.mjs'
import { dataDirectoryParts } from './doctor/data-directory.mjs'
import { database } from './doctor/database.mjs'
import { broken } from './doctor/finding.mjs'
import { machine } from './doctor/machine.mjs'
import { network } from './doctor/network.mjs'
import { sandbox } from './doctor/sandbox.mjs'
import { tools } from './doctor/tools.mjs'

/** @typedef {import('./doctor/finding.mjs').Finding & { part: string }} Result */

const examinations = [...tools, ...clone, ...database, ...dataDirectoryParts, ...machine, ...network, ...sandbox]
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
refuseUnknown()
const chosen = examinations.filter(({ part }) => wanted.length === 0 || wanted.includes(part))
const results = await Promise.all(chosen.map(examine))
const faults = results.filter(({ state }) => state === 'broken').length
const warnings = results.filter(({ state }) => state === 'warning').length

process.stdout.write(
  process.argv.includes('--json') ? renderJson() : results.map(renderLine).join('') + renderSummary(),
)
process.exitCode = faults > 0 ? 1 : 0

function refuseUnknown() {
  const parts = examinations.map(({ part }) => part)
  const unknown = wanted.filter((name) => !parts.includes(name))
  if (unknown.length === 0) return
  process.stderr.write(`✗ no part is called ${unknown.join(', ')}; there are: ${parts.join(', ')}\n`)
  process.exit(2)
}

/**
 * @param {import('./doctor/finding.mjs').Examination} examination
 * @returns {Promise<Result>}
 */
async function examine({ part, look }) {
  try {
    return { part, ...(await look()) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { part, ...broken(`could not be looked at: ${reason}`, 'see the reason; if it is ours, please report it') }
  }
}

/** @param {Result} result */
function renderLine({ part, state, found, fix }) {
  const sign = { ok: '✓', warning: '!', broken: '✗' }[state]
  const indent = ' '.repeat(20)
  return `${sign} ${part.padEnd(17)} ${found}\n${fix ? `${indent}fix: ${fix}\n` : ''}`
}

function renderSummary() {
  return `\n${faults} broken, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${results.length - faults - warnings} fine\n`
}

function renderJson() {
  return `${JSON.stringify({ ok: faults === 0, broken: faults, warnings, parts: results }, null, 2)}\n`
}
