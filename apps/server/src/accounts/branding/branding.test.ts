import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { createCaller } from '../testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let call: ReturnType<typeof createCaller>
let operator: Person
let owner: Person
let id: string
beforeAll(async () => {
  platform = await startTestPlatform()
  call = createCaller(platform.url)
  operator = await createPerson(platform, { operator: true })
  owner = await createPerson(platform)
  id = (await call(owner, 'POST /v1/accounts', { name: 'Brand' })).body.account_id
})
afterAll(() => platform.stop())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>')

function asForm(content: Uint8Array, name = 'x.bin', type = 'application/octet-stream') {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(content)], name, { type }))
  return form
}
const upload = (kind: string, content: Uint8Array, person = owner) =>
  call(person, `POST /v1/accounts/${id}/branding/assets/${kind}`, asForm(content, 'photo.gif', 'text/html'))

describe('branding', () => {
  test('sets a name, with its spaces collapsed, and takes it back', async () => {
    const put = (body: unknown) => call(owner, `PUT /v1/accounts/${id}/branding`, body)
    const set = await put({ app_name: '  My   own  name ' })
    expect(set.body).toMatchObject({ branding: { app_name: 'My own name', logo_url: null }, entitled: true })
    expect((await call(owner, 'GET /v1/accounts')).body[0].branding.app_name).toBe('My own name')
    expect((await call(owner, `GET /v1/accounts/${id}`)).body.branding.app_name).toBe('My own name')
    expect((await put({ app_name: '   ' })).body.branding.app_name).toBeNull()
    expect((await call(owner, `GET /v1/accounts/${id}`)).body.branding).toBeNull()
    for (const body of [
      {},
      { app_name: 7 },
      { app_name: 'x'.repeat(61) },
      { app_name: 'a\u0000b' },
      { app_name: 'a\nb' },
    ]) {
      expect((await put(body)).status).toBe(400)
    }
  })

  test('serves a picture by its bytes, for ever, and with nothing that could run', async () => {
    const { body, status } = await upload('logo', png)
    expect(status).toBe(200)
    const url: string = body.branding.logo_url
    expect(url).toMatch(/\/v1\/branding\/[0-9a-f-]{36}\/[0-9a-f]{64}\.png$/)
    const picture = await fetch(url)
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(png)
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    expect(picture.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
    expect((await fetch(url, { headers: { 'if-none-match': picture.headers.get('etag') ?? '' } })).status).toBe(304)

    const next = await upload('logo', svg)
    expect(next.body.branding.logo_url).not.toBe(url)
    expect((await fetch(next.body.branding.logo_url)).headers.get('content-type')).toBe('image/svg+xml')
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(next.body.branding.logo_url.replace('.svg', '.png'))).status).toBe(404)
    const gone = await call(owner, `DELETE /v1/accounts/${id}/branding/assets/logo`)
    expect(gone.body.branding.logo_url).toBeNull()
    expect((await fetch(next.body.branding.logo_url)).status).toBe(404)
  })

  test('takes up to 1 MiB and says so beyond it; other kinds and other bytes are refused', async () => {
    const filled = (sizeBytes: number) => Buffer.concat([png, Buffer.alloc(sizeBytes - png.length)])
    expect((await upload('icon', filled(1024 * 1024))).status).toBe(200)
    const large = await upload('icon', filled(1024 * 1024 + 1))
    expect([large.status, large.body.code, large.body.limit_bytes]).toEqual([413, 'payload_too_large', 1024 * 1024])
    expect((await upload('banner', png)).status).toBe(404)
    for (const content of ['GIF89a', '<html></html>', '', '%PDF-1.4', '{"a":1}']) {
      const refused = await upload('icon', Buffer.from(content))
      expect([content, refused.status, refused.body.code]).toEqual([content, 400, 'unsafe_image'])
    }
    const missing = await call(owner, `POST /v1/accounts/${id}/branding/assets/icon`, new FormData())
    expect(missing.status).toBe(400)
  })

  test('without the entitlement nothing is written, reading and removing stay open, and accounts show none', async () => {
    await call(owner, `PUT /v1/accounts/${id}/branding`, { app_name: 'Kept' })
    await call(operator, 'PATCH /v1/operator/settings', { entitlements: ['rbac'] })
    for (const write of [
      await call(owner, `PUT /v1/accounts/${id}/branding`, { app_name: 'New' }),
      await upload('logo', png),
    ]) {
      expect([write.status, write.body.code, write.body.entitlement]).toEqual([402, 'entitlement_required', 'branding'])
    }
    const read = await call(owner, `GET /v1/accounts/${id}/branding`)
    expect([read.status, read.body.entitled, read.body.branding.app_name]).toEqual([200, false, 'Kept'])
    expect((await call(owner, `GET /v1/accounts/${id}`)).body.branding).toBeNull()
    expect((await call(owner, `DELETE /v1/accounts/${id}/branding/assets/icon`)).status).toBe(200)
    const reset = await call(owner, `DELETE /v1/accounts/${id}/branding`)
    expect(reset.body.branding).toMatchObject({ app_name: null, icon_url: null })
    await call(operator, 'PATCH /v1/operator/settings', { entitlements: ['rbac', 'auditAccess', 'branding'] })
  })

  test('is read by members and changed by admins', async () => {
    const member = await createPerson(platform)
    await call(owner, `POST /v1/accounts/${id}/members`, { email: member.email })
    expect((await call(member, `GET /v1/accounts/${id}/branding`)).status).toBe(200)
    expect((await call(member, `PUT /v1/accounts/${id}/branding`, { app_name: 'No' })).status).toBe(403)
    expect((await upload('logo', png, member)).status).toBe(403)
    expect((await call(member, `DELETE /v1/accounts/${id}/branding`)).status).toBe(403)
    const stranger = await createPerson(platform)
    expect((await call(stranger, `GET /v1/accounts/${id}/branding`)).status).toBe(403)
  })
})
