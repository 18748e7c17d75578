#!/usr/bin/env node
// `svc-audit-verify <file>...` or `npm run audit:verify -- <file>...`: checks an unfiltered export of the audit log from
// the files alone, CSV or JSON Lines, one page or several in order. Needs nothing but Node. Exit codes: 0 when every row
// is what it was and none is missing, 1 when not, 2 when it was called wrongly, 3 when --key was given but holds no key.
//
// What is checked, row by row: it is written to the letter as an export writes it (so that no other program can read
// something else from it), the sequence rises by one, the row names the hash of the row before it, and its own hash is
// the SHA-256 of the canonical JSON (sorted keys) of the row without `hash` and `checkpoint`. The last row of a page
// carries a checkpoint: the page's range and the head of the chain, signed with Ed25519. The last page reaches the head.

import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {Record<string, unknown>} Row
 * @typedef {{ file: string, line: number, row: Row }} Placed
 */

const usage = `Usage: svc-audit-verify <file>... [--key <public key>]... [--partial]

  <file>       pages of one unfiltered export, in order; .csv or JSON Lines, told apart by their content
  --key        a key that may have signed: base64 as GET /v1/audit/keys shows it, a PEM text, or a file with either or
               with that whole answer; without it anybody's signature is accepted, and the output says so
  --partial    the pages may start after the beginning of the log and end before its head

Exit codes: 0 verified, 1 altered, incomplete or signed with another key, 2 called wrongly, 3 --key holds no key
`

class Fault extends Error {}

const zeros = '0'.repeat(64)
const numbers = new Set(['sequence', 'http_status', 'duration_ms', 'delegation_depth', 'session_sequence'])
/** In the order of an export; the last is there in exports without filters only. */
const exportColumns =
  'event_id occurred_at sequence previous_hash hash account_id project_id session_id actor_user_id actor_type agent_id agent_name initiator_actor_type initiator_actor_id source client_reported_source outcome action phase resource_type resource_id http_status duration_ms request_id trace_id correlation_id causation_id parent_event_id delegation_depth turn_id message_id tool_call_id execution_id session_sequence input_summary output_summary input_sha256 output_sha256 error_code before after ip user_agent metadata checkpoint'.split(
    ' ',
  )
const documents = new Set(['input_summary', 'output_summary', 'before', 'after', 'metadata', 'checkpoint'])

const { files, keys, partial } = readArguments(process.argv.slice(2))
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
  /** Where checkpoints say the log ended: rows up to the last of these must be here. @type {Map<number, unknown>} */
  const heads = new Map()

  /** @param {Placed} placed */
  function add(placed) {
    const { row } = placed
    checkPlace(placed)
    checkHash(placed)
    countOfPage += 1
    if (countOfPage === 1) firstOfPage = Number(row.sequence)
    count += 1
    last = placed
    const headHash = heads.get(Number(row.sequence))
    if (headHash !== undefined && headHash !== row.hash) throw fault(placed, 'is not the row an earlier page announced')
    checkpoint = undefined
    if (row.checkpoint === undefined) return
    checkpoint = asRecord(row.checkpoint, placed)
    checkCheckpoint(checkpoint, placed, { first: firstOfPage, count: countOfPage })
    heads.set(Number(checkpoint.head_sequence), checkpoint.head_hash)
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
    const left = last ? Math.max(...heads.keys()) - Number(last.row.sequence) : 0
    if (last && left > 0 && !partial) {
      throw new Fault(
        `${last.file} ends with row ${last.row.sequence}, but ${left} later ${left === 1 ? 'row was' : 'rows were'} in the ` +
          'log when this was exported: the end is missing. Continue with the next page, or give --partial.',
      )
    }
    return { count, last, checkpoint, left }
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
  if (keys.length > 0 && !keys.some((key) => key.equals(publicKey)))
    throw fault(placed, 'has a checkpoint that was signed with another key')
  const signed = Buffer.from(String(signature), 'base64')
  if (!verify(null, Buffer.from(canonical(content)), publicKey, signed)) {
    throw fault(placed, 'has a checkpoint whose signature is not valid')
  }
  const { row } = placed
  if (checkpoint.last_sequence !== row.sequence || checkpoint.hash !== row.hash) {
    throw fault(placed, `has the checkpoint of row ${checkpoint.last_sequence}`)
  }
  const head = Number(checkpoint.head_sequence)
  if (!(head > Number(row.sequence)) && (head !== row.sequence || checkpoint.head_hash !== row.hash)) {
    throw fault(placed, 'has a checkpoint that says the log ended before it')
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

/** @param {{ count: number, last: Placed | undefined, checkpoint: Row | undefined, left: number }} seen */
function report({ count, last, checkpoint, left }) {
  if (!last || !checkpoint)
    throw new Fault('there are no rows, so nothing is proved: the log was empty, or all was cut off')
  const first = Number(last.row.sequence) - count + 1
  console.log(
    `✓ ${count} ${count === 1 ? 'row' : 'rows'}, ${first} to ${last.row.sequence}: none altered, missing or reordered`,
  )
  console.log(`  account     ${checkpoint.account_id}`)
  console.log(`  last row    ${last.row.occurred_at}, hash ${last.row.hash}`)
  console.log(`  signed      ${checkpoint.issued_at}, key ${checkpoint.key_id}`)
  if (keys.length === 0) {
    console.log(`  public key  ${checkpoint.public_key}`)
    console.log(
      '! THE SIGNER IS NOT PINNED: whoever rewrites the whole log can sign it with a key of their own and pass this check.\n' +
        '  Give the key you noted down (GET /v1/audit/keys) with --key.',
    )
  }
  if (left > 0)
    console.log(
      `! ${left} later ${left === 1 ? 'row was' : 'rows were'} in the log when this was exported: continue with the next page`,
    )
}

/** @param {string} path @returns {AsyncGenerator<Placed>} */
async function* readRows(path) {
  if (!existsSync(path)) throw new Fault(`${path} does not exist`)
  let isHead = true
  let isJson = false
  for await (const { text, line } of readRecords(path)) {
    if (isHead) isJson = text.startsWith('{')
    if (isJson) yield { file: path, line, row: readObject(text, path, line) }
    else if (isHead) checkColumns(text, path)
    else yield { file: path, line, row: readCells(text, path, line) }
    isHead = false
  }
}

/** @param {string} text @param {string} file */
function checkColumns(text, file) {
  if (text === `${exportColumns.join(',')}\r`) return
  if (text === `${exportColumns.slice(0, -1).join(',')}\r`) {
    throw new Fault(`${file} has no checkpoints: a filtered export cannot be checked. Export again without filters.`)
  }
  throw new Fault(
    `${file} is not an export of the audit log, or was altered: its first line does not name the columns of one, each once and in order`,
  )
}

/** @param {string} text @param {string} file @param {number} line @returns {Row} */
function readObject(text, file, line) {
  const row = parseJson(text, file, line)
  if (!text.startsWith('{')) throw new Fault(`${file}, line ${line}: not an event; the row is cut off or altered`)
  if (JSON.stringify(row) !== text) throw rewritten(file, line)
  return row
}

/** @param {string} text @param {string} file @param {number} line @returns {Row} */
function readCells(text, file, line) {
  const cells = splitCells(text.replace(/\r$/, ''))
  if (cells.length !== exportColumns.length) {
    throw new Fault(
      `${file}, line ${line}: ${cells.length} cells where ${exportColumns.length} belong; the row is cut off or altered`,
    )
  }
  /** @type {Row} */
  const row = {}
  for (const [index, name] of exportColumns.entries()) {
    const cell = cells[index] ?? null
    if (cell === null) row[name] = name === 'checkpoint' ? undefined : null
    else if (documents.has(name)) row[name] = parseJson(cell, file, line)
    else if (!numbers.has(name)) row[name] = cell
    else if (/^-?\d+(\.\d+)?$/.test(cell)) row[name] = Number(cell)
    else throw new Fault(`${file}, line ${line}: ${name} is not a number; the row was altered`)
  }
  if (`${exportColumns.map((name) => writeCell(name, row[name])).join(',')}\r` !== text) throw rewritten(file, line)
  return row
}

/** As the exporter writes it. @param {string} name @param {unknown} value */
function writeCell(name, value) {
  if (value === null || value === undefined) return ''
  const text = documents.has(name) ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Nothing between two commas is null, two quotes are an empty text. Lenient: what it reads is written again and
 * compared.
 *
 * @param {string} text
 */
function splitCells(text) {
  /** @type {(string | null)[]} */
  const cells = []
  for (const [, , quoted, plain] of text.matchAll(/(^|,)(?:"([^"]*(?:""[^"]*)*)"|([^,]*))/g)) {
    cells.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'))
  }
  return cells
}

/** @param {string} file @param {number} line */
function rewritten(file, line) {
  return new Fault(
    `${file}, line ${line}: not written as an export writes it: a name stands twice, or spaces, quotes, numbers or line ends were changed`,
  )
}

/**
 * The records of a file, without the line feed that ends each: a line, or several where a quoted cell of CSV holds
 * line feeds. Reads a piece at a time, whatever the size of the file.
 *
 * @param {string} path
 * @returns {AsyncGenerator<{ text: string, line: number }>}
 */
async function* readRecords(path) {
  let isJson
  let text = ''
  let line = 1
  let startedAt = 1
  let isQuoted = false
  for await (const piece of readTexts(path)) {
    isJson ??= piece.startsWith('{')
    let from = 0
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', from)) {
      const part = piece.slice(from, at)
      text += part
      from = at + 1
      line += 1
      if (!isJson && hasOddQuotes(part)) isQuoted = !isQuoted
      if (isQuoted) text += '\n'
      else {
        yield { text, line: startedAt }
        text = ''
        startedAt = line
      }
    }
    text += piece.slice(from)
    if (!isJson && hasOddQuotes(piece.slice(from))) isQuoted = !isQuoted
  }
  if (text !== '') yield { text, line: startedAt }
}

/** @param {string} path @returns {AsyncGenerator<string>} */
async function* readTexts(path) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of createReadStream(path)) {
      const text = decoder.decode(chunk, { stream: true })
      if (text !== '') yield text
    }
    decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Fault(`${path} is not UTF-8: it is cut off or altered`)
  }
}

/** @param {string} text */
function hasOddQuotes(text) {
  return text.split('"').length % 2 === 0
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
    const found = text.startsWith('-----')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (found.asymmetricKeyType === 'ed25519') return found
  } catch {
    // Falls through to the sentence below: nothing else can be wrong with a key.
  }
  throw new Fault(`not an Ed25519 public key: ${text.slice(0, 80)}`)
}

/** One key, or all that an answer of GET /v1/audit/keys lists. @param {string} given */
function readKeys(given) {
  const text = given !== '' && existsSync(given) ? readFileSync(given, 'utf8').trim() : given.trim()
  if (!text.startsWith('{')) return text === '' ? [] : [readKey(text)]
  const { keys: listed } = parseJson(text, 'the list of keys', 1)
  return Array.isArray(listed) ? listed.map(({ public_key: publicKey }) => readKey(String(publicKey))) : []
}

/** @param {string[]} given */
function readArguments(given) {
  /** @type {string[]} */
  const paths = []
  /** @type {string[]} */
  const keyTexts = []
  let isPartial = false
  for (let index = 0; index < given.length; index += 1) {
    const word = given[index] ?? ''
    if (word === '--key') keyTexts.push(given[++index] ?? '')
    else if (word === '--partial') isPartial = true
    else if (word.startsWith('--')) return stop(word === '--help' ? '' : `${word} is not known.\n\n`)
    else paths.push(word)
  }
  if (paths.length === 0) return stop('Which file?\n\n')
  try {
    const found = keyTexts.map(readKeys)
    // An empty variable in a script must not turn the check of the signer off.
    if (found.some((list) => list.length === 0)) return stop('--key holds no key: the signer is not pinned.\n\n', 3)
    return { files: paths, partial: isPartial, keys: found.flat() }
  } catch (error) {
    return stop(`--key: ${error instanceof Error ? error.message : error}\n\n`)
  }
}

/** @param {string} complaint @param {number} code @returns {never} */
function stop(complaint, code = 2) {
  process.stdout.write(complaint + usage)
  process.exit(complaint === '' ? 0 : code)
}
