#!/usr/bin/env node
// `npm run audit:verify -- <file>...`: checks an unfiltered export of the audit log from the files alone, CSV or JSON
// Lines, one page or several in order. Needs nothing but Node. Exit code 0 when every row is what it was and none is
// missing, 1 when not, 2 when it was called wrongly.
//
// What is checked, row by row: the sequence rises by one, the row names the hash of the row before it, and its own hash
// is the SHA-256 of the canonical JSON (sorted keys) of the row without `hash` and `checkpoint`. The last row of a page
// carries a checkpoint: the page's range and the head of the chain, signed with Ed25519.

import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {Record<string, unknown>} Row
 * @typedef {{ file: string, line: number, row: Row }} Placed
 */

const usage = `Usage: audit-verify <file>... [--key <public key>] [--partial]

  <file>       pages of one unfiltered export, in order; .csv or JSON Lines, told apart by their content
  --key        the key that must have signed: base64 as GET /v1/audit/keys shows it, a PEM text, or a file with either
  --partial    the first page given may start after the beginning of the log
`

class Fault extends Error {}

const zeros = '0'.repeat(64)
const numbers = new Set(['sequence', 'http_status', 'duration_ms', 'delegation_depth', 'session_sequence'])
const documents = new Set(['input_summary', 'output_summary', 'before', 'after', 'metadata', 'checkpoint'])

const { files, key, partial } = readArguments(process.argv.slice(2))
try {
  const seen = await verifyFiles(files)
  report(seen)
} catch (error) {
  if (!(error instanceof Fault)) throw error
  console.log(`✗ ${error.message}`)
  process.exitCode = 1
}

/** @param {string[]} paths */
async function verifyFiles(paths) {
  const chain = startChain()
  for (const path of paths) for await (const placed of readRows(path)) chain.add(placed)
  return chain.end()
}

function startChain() {
  /** @type {Placed | undefined} */
  let last
  /** @type {Row | undefined} */
  let checkpoint
  let count = 0
  let countOfPage = 0
  let firstOfPage = 0

  /** @param {Placed} placed */
  function add(placed) {
    const { row } = placed
    checkPlace(placed)
    checkHash(placed)
    countOfPage += 1
    if (countOfPage === 1) firstOfPage = Number(row.sequence)
    count += 1
    last = placed
    checkpoint = undefined
    if (row.checkpoint === undefined || row.checkpoint === null) return
    checkpoint = asRecord(row.checkpoint, placed)
    checkCheckpoint(checkpoint, placed, { first: firstOfPage, count: countOfPage })
    countOfPage = 0
  }

  /** @param {Placed} placed */
  function checkPlace(placed) {
    const { row } = placed
    const sequence = Number(row.sequence)
    if (!Number.isSafeInteger(sequence) || sequence < 1) throw fault(placed, 'has no sequence number')
    const expected = last ? Number(last.row.sequence) + 1 : partial ? sequence : 1
    if (sequence > expected) throw missing(placed, expected, sequence)
    if (sequence < expected)
      throw fault(placed, `is out of order: sequence ${sequence} stands where ${expected} belongs`)
    const before = last ? last.row.hash : sequence === 1 ? zeros : row.previous_hash
    if (row.previous_hash !== before) {
      const which = last ? `row ${last.row.sequence}` : 'the beginning of the log'
      throw fault(
        placed,
        `does not follow from ${which}: one of the two was altered, or a row between them was replaced`,
      )
    }
    if (last && accountOf(last.row) !== accountOf(row)) throw fault(placed, 'belongs to another account')
  }

  function end() {
    if (last && !checkpoint) {
      throw new Fault(
        `${last.file} is cut off: it ends after row ${last.row.sequence} (line ${last.line}), which has no checkpoint. ` +
          'Export again without filters, and keep the last row.',
      )
    }
    return { count, last, checkpoint }
  }

  return { add, end }
}

/** @param {Placed} placed */
function checkHash(placed) {
  const { hash, checkpoint: _checkpoint, ...rest } = placed.row
  const found = createHash('sha256').update(canonical(rest)).digest('hex')
  if (found !== hash) throw fault(placed, 'was altered: its content does not give its hash')
}

/**
 * @param {Row} checkpoint
 * @param {Placed} placed
 * @param {{ first: number, count: number }} page
 */
function checkCheckpoint(checkpoint, placed, { first, count }) {
  const { signature, ...content } = checkpoint
  const publicKey = readKey(String(checkpoint.public_key))
  if (key && !sameKey(key, publicKey)) throw fault(placed, 'has a checkpoint that was signed with another key')
  const signed = Buffer.from(String(signature), 'base64')
  if (!verify(null, Buffer.from(canonical(content)), publicKey, signed)) {
    throw fault(placed, 'has a checkpoint whose signature is not valid')
  }
  const { row } = placed
  if (checkpoint.last_sequence !== row.sequence || checkpoint.hash !== row.hash) {
    throw fault(placed, `has the checkpoint of row ${checkpoint.last_sequence}`)
  }
  const account = accountOf(row) ?? '00000000-0000-0000-0000-000000000000'
  if (checkpoint.account_id !== account) throw fault(placed, 'has the checkpoint of another account')
  if (checkpoint.first_sequence !== first || checkpoint.count !== count) {
    throw fault(
      placed,
      `closes a page of ${checkpoint.count} rows from ${checkpoint.first_sequence} on, but ${count} from ${first} on are here`,
    )
  }
}

/** @param {{ count: number, last: Placed | undefined, checkpoint: Row | undefined }} seen */
function report({ count, last, checkpoint }) {
  if (!last || !checkpoint)
    throw new Fault('there are no rows, so nothing is proved: the log was empty, or all was cut off')
  const first = Number(last.row.sequence) - count + 1
  const left = Number(checkpoint.head_sequence) - Number(last.row.sequence)
  console.log(
    `✓ ${count} ${count === 1 ? 'row' : 'rows'}, ${first} to ${last.row.sequence}: none altered, missing or reordered`,
  )
  console.log(`  account     ${checkpoint.account_id}`)
  console.log(`  last row    ${last.row.occurred_at}, hash ${last.row.hash}`)
  console.log(`  signed      ${checkpoint.issued_at}, key ${checkpoint.key_id}`)
  if (!key)
    console.log(
      `  public key  ${checkpoint.public_key}\n              compare it with GET /v1/audit/keys, or give it with --key`,
    )
  if (left > 0)
    console.log(
      `! ${left} later ${left === 1 ? 'row was' : 'rows were'} in the log when this was exported: continue with the next page`,
    )
}

/** @param {string} path @returns {AsyncGenerator<Placed>} */
async function* readRows(path) {
  if (!existsSync(path)) throw new Fault(`${path} does not exist`)
  /** @type {string[] | undefined} */
  let columns
  for await (const { cells, line, json } of readRecords(path)) {
    if (json !== undefined) yield { file: path, line, row: parseJson(json, path, line) }
    else if (columns) yield { file: path, line, row: readCells(columns, cells, path, line) }
    else columns = cells.map((cell) => cell ?? '')
    if (columns && !columns.includes('previous_hash')) {
      throw new Fault(`${path} is not an export of the audit log: its first line names no previous_hash`)
    }
  }
}

/**
 * @param {string[]} columns
 * @param {(string | null)[]} cells
 * @param {string} file
 * @param {number} line
 */
function readCells(columns, cells, file, line) {
  if (cells.length !== columns.length) {
    throw new Fault(
      `${file}, line ${line}: ${cells.length} cells where ${columns.length} belong; the row is cut off or altered`,
    )
  }
  /** @type {Row} */
  const row = {}
  for (const [index, name] of columns.entries()) {
    const cell = cells[index] ?? null
    if (cell === null) row[name] = null
    else if (documents.has(name)) row[name] = parseJson(cell, file, line)
    else row[name] = numbers.has(name) ? Number(cell) : cell
  }
  return row
}

/**
 * The records of a file: JSON lines as text, CSV records as cells, where nothing between two commas is null and two
 * quotes are an empty text. Reads a piece at a time, whatever the size of the file.
 *
 * @param {string} path
 * @returns {AsyncGenerator<{ cells: (string | null)[], line: number, json?: string }>}
 */
async function* readRecords(path) {
  let kind = ''
  let line = 1
  let startedAt = 1
  let text = ''
  let quoted = false
  let afterQuote = false
  let wasQuoted = false
  /** @type {(string | null)[]} */
  let cells = []
  const finishCell = () => {
    cells.push(text === '' && !wasQuoted ? null : text)
    text = ''
    wasQuoted = false
    afterQuote = false
  }
  for await (const chunk of createReadStream(path, 'utf8')) {
    for (const character of String(chunk)) {
      if (kind === '' && character !== '\uFEFF') kind = character === '{' ? 'json' : 'csv'
      if (character === '\n') line += 1
      if (kind === 'json') {
        if (character !== '\n') text += character
        else {
          if (text.trim() !== '') yield { cells: [], line: startedAt, json: text }
          text = ''
          startedAt = line
        }
        continue
      }
      if (quoted) {
        if (character === '"') {
          quoted = false
          afterQuote = true
        } else text += character
      } else if (character === '"') {
        if (afterQuote) text += '"'
        quoted = true
        wasQuoted = true
        afterQuote = false
      } else if (character === ',') finishCell()
      else if (character === '\n') {
        finishCell()
        if (cells.length > 1 || cells[0] !== null) yield { cells, line: startedAt }
        cells = []
        startedAt = line
      } else if (character !== '\r' && character !== '\uFEFF') text += character
    }
  }
  if (kind === 'json' && text.trim() !== '') yield { cells: [], line: startedAt, json: text }
  if (kind === 'csv' && (text !== '' || cells.length > 0)) {
    finishCell()
    yield { cells, line: startedAt }
  }
}

/** @param {string} text @param {string} file @param {number} line @returns {Row} */
function parseJson(text, file, line) {
  try {
    return JSON.parse(text)
  } catch {
    // Whatever is wrong with it, the row is not the one that was written.
    throw new Fault(`${file}, line ${line}: not valid JSON; the row is cut off or altered`)
  }
}

/** @param {unknown} value @returns {string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}

/** @param {Row} row */
function accountOf(row) {
  return row.account_id
}

/** @param {unknown} value @param {Placed} placed @returns {Row} */
function asRecord(value, placed) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw fault(placed, 'has a checkpoint that cannot be read')
}

/** @param {Placed} placed @param {string} what */
function fault({ file, line, row }, what) {
  return new Fault(`${file}, line ${line}: row ${row.sequence} (event ${row.event_id}) ${what}.`)
}

/** @param {Placed} placed @param {number} expected @param {number} found */
function missing(placed, expected, found) {
  const range = found - expected === 1 ? `row ${expected} is` : `rows ${expected} to ${found - 1} are`
  const hint = expected === 1 ? ' Give the earlier pages first, or --partial. A filtered export cannot be checked.' : ''
  return new Fault(
    `${placed.file}, line ${placed.line}: ${range} missing before row ${found} (event ${placed.row.event_id}).${hint}`,
  )
}

/** @param {string} given */
function readKey(given) {
  const text = given.trim()
  try {
    if (text.startsWith('-----')) return createPublicKey(text)
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch {
    // The reason is in the sentence: nothing else can be wrong with a key.
    throw new Fault(`not a public key: ${text.slice(0, 80)}`)
  }
}

/** @param {import('node:crypto').KeyObject} a @param {import('node:crypto').KeyObject} b */
function sameKey(a, b) {
  const der = { type: /** @type {const} */ ('spki'), format: /** @type {const} */ ('der') }
  return a.export(der).equals(b.export(der))
}

/** @param {string[]} given */
function readArguments(given) {
  /** @type {string[]} */
  const paths = []
  let keyText = ''
  let isPartial = false
  for (let index = 0; index < given.length; index += 1) {
    const word = given[index] ?? ''
    if (word === '--key') keyText = given[++index] ?? ''
    else if (word === '--partial') isPartial = true
    else if (word.startsWith('--')) return stop(word === '--help' ? '' : `${word} is not known.\n\n`)
    else paths.push(word)
  }
  if (paths.length === 0) return stop('Which file?\n\n')
  const source = keyText !== '' && existsSync(keyText) ? readFileSync(keyText, 'utf8') : keyText
  try {
    return { files: paths, partial: isPartial, key: source === '' ? undefined : readKey(source) }
  } catch (error) {
    return stop(`--key: ${error instanceof Error ? error.message : error}\n\n`)
  }
}

/** @param {string} complaint @returns {never} */
function stop(complaint) {
  process.stdout.write(complaint + usage)
  process.exit(complaint === '' ? 0 : 2)
}
