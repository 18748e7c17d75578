import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { type AuditPlatform, startAuditPlatform } from './testing/start-audit.ts'

const verifier = fileURLToPath(new URL('../../../../scripts/audit-verify.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-audit-'))

let audit: AuditPlatform
beforeAll(async () => {
  audit = await startAuditPlatform()
})
afterAll(async () => {
  await audit.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** An account whose log holds every kind of value, and the awkward ones of CSV. */
async function fillAccount(count: number): Promise<string> {
  const accountId = await audit.addAccount(audit.owner.userId)
  const awkward = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', '', ' spaces ', '€ 漢字 🙂', '=1+1', 'null']
  await audit.database.transact({ type: 'human', userId: 'u1', accountId }, async (tx) => {
    for (let index = 0; index < count; index += 1) {
      await tx.audit({
        action: `thing.${index}`,
        resourceId: awkward[index % awkward.length] ?? '',
        delegationDepth: index % 2 === 0 ? 0 : null,
        inputSummary: index % 3 === 0 ? 'words' : { list: [1, 1.5, -0, 1e21, null, true], text: awkward[index % 9] },
        metadata: { 'ключ "k"': awkward[(index + 1) % 9], nested: { b: 1, a: [] } },
      })
    }
  })
  return accountId
}

async function exportPage(accountId: string, query: Record<string, string> = {}) {
  const response = await audit.call(`/v1/accounts/${accountId}/audit/export?${new URLSearchParams(query)}`)
  expect(response.status).toBe(200)
  return { text: await response.text(), headers: response.headers }
}

function verify(texts: readonly string[], ...flags: string[]) {
  const files = texts.map((text, index) => {
    const file = join(folder, `page-${index}.export`)
    writeFileSync(file, text)
    return file
  })
  const { status, stdout, stderr } = spawnSync(process.execPath, [verifier, ...files, ...flags], { encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

const lines = (text: string) => text.trimEnd().split('\n')

describe('an export', () => {
  test.each(['csv', 'jsonl'])('as %s is verified from the file alone, whatever its values hold', async (format) => {
    const accountId = await fillAccount(20)
    const { text, headers } = await exportPage(accountId, { format })
    expect(verify([text])).toMatchObject({ status: 0, said: expect.stringContaining('20 rows, 1 to 20: none altered') })
    expect(headers.get('x-audit-row-count')).toBe('20')
    expect(headers.get('x-audit-capped')).toBe('false')
    expect(headers.get('x-audit-complete')).toBe('true')
    expect(headers.get('x-audit-next-cursor')).toBe('')
    expect(headers.get('content-type')).toBe(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
    expect(headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="audit-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
    )
  })

  test('every line of JSON Lines is an event, oldest first', async () => {
    const accountId = await fillAccount(12)
    const rows = lines((await exportPage(accountId, { format: 'jsonl' })).text).map((line) => JSON.parse(line))
    expect(rows.map(({ sequence, action }) => [sequence, action])).toEqual(
      Array.from({ length: 12 }, (_, index) => [index + 1, expect.stringMatching(/^thing\./)]),
    )
    expect(rows.filter((row) => 'checkpoint' in row)).toHaveLength(1)
  })

  test.each(['csv', 'jsonl'])(
    'of several pages as %s holds every event once and is verified as one',
    async (format) => {
      const accountId = await fillAccount(25)
      const pages: string[] = []
      let cursor = ''
      do {
        const { text, headers } = await exportPage(accountId, { format, limit: '7', ...(cursor ? { cursor } : {}) })
        pages.push(text)
        cursor = headers.get('x-audit-next-cursor') ?? ''
        expect(headers.get('x-audit-complete')).toBe(String(cursor === ''))
        // Events that arrive while pages are read come after those that were there.
        if (pages.length < 3) await audit.emit(['thing.late'], accountId)
      } while (cursor !== '')
      const result = verify(pages)
      expect(result.said).toMatch(/✓ (\d+) rows, 1 to \1:/)
      expect(result.status).toBe(0)
      expect(verify(pages.slice(1))).toMatchObject({
        status: 1,
        said: expect.stringContaining('rows 1 to 7 are missing'),
      })
      expect(verify(pages.slice(1), '--partial').status).toBe(0)
      expect(verify([pages[0] ?? '', pages[2] ?? ''])).toMatchObject({
        status: 1,
        said: expect.stringContaining('rows 8 to 14 are missing before row 15'),
      })
      for (const kept of [1, pages.length - 1]) {
        const said = expect.stringContaining('the end is missing')
        expect(verify(pages.slice(0, kept))).toMatchObject({ status: 1, said })
        expect(verify(pages.slice(0, kept), '--partial')).toMatchObject({
          status: 0,
          said: expect.stringContaining('continue with the next page'),
        })
      }
    },
  )

  test('with filters holds what the log shows for them and no checkpoint', async () => {
    const accountId = await fillAccount(15)
    const { text } = await exportPage(accountId, { format: 'jsonl', action: 'thing.1' })
    const actions = lines(text).map((line) => JSON.parse(line))
    expect(actions.map(({ action }) => action)).toEqual(['thing.1'])
    expect(actions[0]).not.toHaveProperty('checkpoint')
  })

  test('a limit above 10 000, an unknown format, and the cursor of another account are refused', async () => {
    const accountId = await fillAccount(1)
    const foreign = `${new Date().toISOString()}|${newId()}`
    for (const query of [{ limit: '10001' }, { format: 'xml' }, { cursor: foreign }]) {
      const response = await audit.call(`/v1/accounts/${accountId}/audit/export?${new URLSearchParams(query)}`)
      expect([query, response.status]).toEqual([query, 400])
      await response.arrayBuffer()
    }
  })

  test('is refused with 402 where the plan does not include it', async () => {
    const other = await startAuditPlatform()
    await other.database.sql`update svc.instance_settings set entitlements = '{}'`
    const response = await other.call(`/v1/accounts/${other.accountId}/audit/export`)
    expect([response.status, await response.json()]).toMatchObject([402, { entitlement: 'auditAccess' }])
    await other.stop()
  })
})

describe('the verifier', () => {
  let csv = ''
  let jsonl = ''
  let accountId = ''
  beforeAll(async () => {
    accountId = await fillAccount(10)
    jsonl = (await exportPage(accountId, { format: 'jsonl' })).text
    csv = (await exportPage(accountId)).text
  })

  function tamper(change: (rows: string[]) => string[]) {
    return verify([`${change(lines(jsonl)).join('\n')}\n`])
  }

  test('names the row that was altered, in either format', () => {
    expect(tamper((rows) => rows.map((row, at) => (at === 4 ? row.replace('"u1"', '"u2"') : row)))).toMatchObject({
      status: 1,
      said: expect.stringContaining('row 5'),
    })
    expect(verify([csv.replace('thing.3,', 'thing.4,')])).toMatchObject({
      status: 1,
      said: expect.stringMatching(/row \d+ .*was altered/),
    })
  })

  test('names the row that is missing, out of order, doubled or cut off', () => {
    const without = (at: number) => (rows: string[]) => rows.filter((_, index) => index !== at)
    expect(tamper(without(3)).said).toContain('row 4 is missing before row 5')
    expect(tamper(without(0)).said).toContain('row 1 is missing before row 2')
    expect(tamper(without(9)).said).toContain('is cut off: it ends after row 9')
    const swapped = tamper((rows) => [...rows.slice(0, 2), ...rows.slice(2, 4).reverse(), ...rows.slice(4)])
    expect(swapped.said).toContain('row 3 is missing before row 4')
    const doubled = tamper((rows) => [...rows.slice(0, 3), ...rows.slice(2)])
    expect(doubled.said).toContain('sequence 3 stands where 4 belongs')
    for (const result of [tamper(without(3)), tamper(without(9)), swapped, doubled]) expect(result.status).toBe(1)
    expect(verify([jsonl.slice(0, jsonl.length - 40)])).toMatchObject({ status: 1 })
    expect(verify([csv.slice(0, csv.lastIndexOf('key_id') - 10)])).toMatchObject({ status: 1 })
  })

  test('a chain that was computed anew after a change does not fit its signature, nor another key', async () => {
    const rows = lines(jsonl).map((line) => JSON.parse(line))
    const { hashRecord } = await import('./event-record.ts')
    let previous = '0'.repeat(64)
    for (const row of rows) {
      const { checkpoint, ...event } = row
      const changed = { ...event, ip: '198.51.100.1', previous_hash: previous }
      Object.assign(row, changed, { hash: hashRecord(changed) })
      if (checkpoint) row.checkpoint = { ...checkpoint, hash: row.hash, head_hash: row.hash }
      previous = row.hash
    }
    const forged = verify([rows.map((row) => JSON.stringify(row)).join('\n')])
    expect(forged).toMatchObject({ status: 1, said: expect.stringContaining('signature is not valid') })
    const { generateKeyPairSync } = await import('node:crypto')
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    expect(verify([jsonl], '--key', other)).toMatchObject({ status: 1, said: expect.stringContaining('another key') })
  })

  test('an end that an older, shorter export had does not pass for the end of a newer one', async () => {
    const target = await fillAccount(6)
    const { headers } = await exportPage(target, { format: 'jsonl', limit: '3' })
    const cursor = headers.get('x-audit-next-cursor') ?? ''
    const olderEnd = (await exportPage(target, { format: 'jsonl', cursor })).text
    await audit.emit(['thing.later'], target)
    const newerStart = (await exportPage(target, { format: 'jsonl', limit: '3' })).text
    const said = expect.stringMatching(/later rows? (was|were) in the log/)
    expect(verify([newerStart, olderEnd])).toMatchObject({ status: 1, said })
  })

  test.each([
    ['a name stands twice, the forged value first', (row: string) => row.replace('{', '{"ip":"203.0.113.9",')],
    ['a name stands twice within', (row: string) => row.replace('"metadata":{', '"metadata":{"nested":1,')],
    ['it holds spaces', (row: string) => row.replace('{"', '{ "')],
    ['it ends in a carriage return', (row: string) => `${row}\r`],
    ['it is not an object', () => 'null'],
    ['an empty line comes before it', (row: string) => `\n${row}`],
  ])('refuses a line of JSON that other programs may read differently: %s', (_what, change) => {
    expect(tamper((rows) => rows.map((row, at) => (at === 4 ? change(row) : row)))).toMatchObject({
      status: 1,
      said: expect.stringMatching(/line 5: not /),
    })
  })

  /** Changes the header and every row alike. */
  function addColumn(name: string, value: string, side: 'first' | 'last'): string {
    const [head = '', ...rows] = splitCsv(csv)
    const put = (text: string, cell: string) => (side === 'first' ? `${cell},${text}` : `${text},${cell}`)
    return [put(head, name), ...rows.map((row) => put(row, value))].map((row) => `${row}\r\n`).join('')
  }
  const splitCsv = (text: string) => text.split(/\r\n(?=[0-9a-f]{8}-)|\r\n$/).filter((row) => row !== '')

  test.each([
    ['ip', 'first'],
    ['ip', 'last'],
    ['note', 'last'],
    ['__proto__', 'first'],
  ] as const)('refuses CSV with a forged column %s put %s', (name, side) => {
    expect(splitCsv(csv).length).toBeGreaterThan(10)
    expect(verify([addColumn(name, '203.0.113.9', side)])).toMatchObject({
      status: 1,
      said: expect.stringContaining('does not name the columns'),
    })
  })

  test.each([
    ['a number in another form', (text: string) => text.replace(/Z,5,/, 'Z,0x5,')],
    ['a number with zeros before it', (text: string) => text.replace(/Z,5,/, 'Z,05,')],
    ['a number with a space', (text: string) => text.replace(/Z,5,/, 'Z, 5,')],
    ['quotes that are not needed', (text: string) => text.replace(/Z,5,/, 'Z,"5",')],
    ['a stray carriage return', (text: string) => text.replace(/Z,5,/, 'Z,5\r,')],
    ['other line ends', (text: string) => text.replaceAll('\r\n', '\n')],
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ['a name twice in a document', (text: string) => text.replace('"{""nested"":', '"{""nested"":1,""nested"":')],
    ['text beside quotes', (text: string) => text.replace('"a,b"', '"a,b"c')],
  ])('refuses CSV with %s', (_what, change) => {
    expect(change(csv)).not.toBe(csv)
    expect(verify([change(csv)]).status).toBe(1)
  })

  test('a byte order mark before JSON and bytes that are not UTF-8 are refused', () => {
    expect(verify([`\uFEFF${jsonl}`]).status).toBe(1)
    const file = join(folder, 'bytes.export')
    const bytes = Buffer.from(jsonl)
    bytes[bytes.indexOf('thing.3')] = 0xff
    writeFileSync(file, bytes)
    expect(verify([], file)).toMatchObject({ status: 1, said: expect.stringContaining('not UTF-8') })
  })

  test('a log that was rewritten and signed with another key passes only where no key is pinned, which is said', async () => {
    const { generateKeyPairSync, sign } = await import('node:crypto')
    const { canonicalJson } = await import('./canonical-json.ts')
    const forger = generateKeyPairSync('ed25519')
    const forgerKey = forger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const rows = lines(jsonl)
    const { checkpoint, ...event } = JSON.parse(rows.at(-1) ?? '')
    const { signature: _signature, ...content } = { ...checkpoint, public_key: forgerKey }
    const signature = sign(null, Buffer.from(canonicalJson(content)), forger.privateKey).toString('base64')
    const last = JSON.stringify({ ...event, checkpoint: { ...content, signature } })
    const forged = [`${[...rows.slice(0, -1), last].join('\n')}\n`]
    expect(verify(forged)).toMatchObject({ status: 0, said: expect.stringContaining('THE SIGNER IS NOT PINNED') })
    const pinned = checkpoint.public_key
    expect(verify(forged, '--key', pinned)).toMatchObject({ status: 1, said: expect.stringContaining('another key') })
    expect(verify([jsonl], '--key', pinned).said).not.toContain('NOT PINNED')
    expect(verify([jsonl], '--key', '')).toMatchObject({ status: 3, said: expect.stringContaining('holds no key') })
    expect(verify([jsonl], '--key').status).toBe(3)
  })

  test('takes the public key that the platform publishes', async () => {
    const { keys } = (await (await fetch(`${audit.url}/v1/audit/keys`)).json()) as { keys: { public_key: string }[] }
    expect(verify([jsonl], '--key', keys[0]?.public_key ?? '').status).toBe(0)
  })

  test.each([
    ['changed', `update svc.audit_events set ip = '203.0.113.9' where event_id = $1`, /row 6 .*was altered/],
    ['deleted', 'delete from svc.audit_events where event_id = $1', /row 6 is missing before row 7/],
    [
      'replaced',
      `with gone as (delete from svc.audit_events where event_id = $1 returning account_id)
       insert into svc.audit_events (event_id, account_id, action) select $1, account_id, 'other.thing' from gone`,
      /row 6|missing/,
    ],
    [
      'swapped with its neighbour',
      `update svc.audit_seals s set sequence = case s.sequence when 6 then 1000007 else 1000006 end
       from svc.audit_seals o where o.event_id = $1 and s.account_id = o.account_id and s.sequence in (6, 7)`,
      /rows? 6/,
    ],
  ])('finds the row that was %s in the database itself', async (_what, statement, expected) => {
    const target = await fillAccount(10)
    const [row] = lines((await exportPage(target, { format: 'jsonl' })).text)
      .map((line) => JSON.parse(line))
      .filter(({ sequence }) => sequence === 6)
    // Only whoever rules the database itself can do this.
    await asSuperuser(statement.replaceAll('$1', `'${row.event_id}'::uuid`))
    const { text } = await exportPage(target, { format: 'jsonl' })
    const result = verify([text])
    expect(result.status).toBe(1)
    expect(result.said).toMatch(expected)
  })

  async function asSuperuser(statement: string): Promise<void> {
    await audit.database.sql.unsafe(`
      set session_replication_role = replica;
      ${statement};
      set session_replication_role = default;`)
  }

  test('the database itself refuses to change, remove or empty what is stored', async () => {
    const { sql } = audit.database
    for (const table of ['audit_events', 'audit_seals']) {
      for (const statement of [`update svc.${table} set event_id = event_id`, `delete from svc.${table}`]) {
        await expect(sql.unsafe(statement)).rejects.toThrow('append-only')
      }
      await expect(sql.unsafe(`truncate svc.${table}`)).rejects.toThrow('append-only')
    }
  })

  test('says how it is called', () => {
    expect(verify([])).toMatchObject({ status: 2, said: expect.stringContaining('Usage:') })
    expect(verify([jsonl], '--key', 'nonsense').status).toBe(2)
    expect(verify([csv.slice(0, csv.indexOf('\n') + 1)])).toMatchObject({
      status: 1,
      said: expect.stringContaining('no rows'),
    })
    expect(verify([''])).toMatchObject({ status: 1, said: expect.stringContaining('no rows') })
    expect(verify(['event_id\r\nx\r\n'])).toMatchObject({ status: 1, said: expect.stringContaining('not an export') })
    expect(readFileSync(verifier, 'utf8')).not.toMatch(/from '(?!node:)/)
  })
})
