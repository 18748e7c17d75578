import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startReceiver } from '../testing/receiver.ts'
import { startAuditPlatform } from '../testing/start-audit.ts'

test('what a client does reaches the receiver as signed events, request rows too, until the hook is removed', async () => {
  const receiver = await startReceiver()
  const audit = await startAuditPlatform({ SVC_ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  const base = `/v1/accounts/${audit.accountId}/audit/webhooks`
  const send = (method: string, path: string, body?: object) =>
    audit.call(path, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
  try {
    const created = await send('POST', base, { name: 'SIEM', url: receiver.url })
    expect(created.status).toBe(201)
    const hook = (await created.json()) as { webhook_id: string; secret: string; test: object }
    expect(hook.test).toEqual({ ok: true, status: 204 })

    const listed = (await (await send('GET', base)).json()) as { webhooks: object[] }
    expect(listed.webhooks).toMatchObject([{ webhook_id: hook.webhook_id, name: 'SIEM', url: receiver.url }])
    expect(listed.webhooks[0]).not.toHaveProperty('secret')

    const wanted = ['webhook.test', 'iam.audit.webhook.create', 'GET /v1/accounts/:accountId/audit/webhooks']
    const arrived = () => receiver.received.map(({ body }) => JSON.parse(body).event.action)
    await expect.poll(arrived, { interval: 100 }).toEqual(expect.arrayContaining(wanted))
    for (const { headers, body } of receiver.received) new Webhook(hook.secret).verify(body, headers)

    const one = `${base}/${hook.webhook_id}`
    expect((await send('PATCH', one, { url: 'https://example.com' })).status).toBe(400)
    expect((await send('PATCH', one, { enabled: false, action_prefix: 'iam.' })).status).toBe(200)
    expect(await (await send('POST', `${one}/rotate-secret`)).json()).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
    })
    const replayed = await send('POST', `${one}/replay`, { since: '2020-01-01T00:00:00Z' })
    expect(await replayed.json()).toEqual({ queued: expect.any(Number), remaining: 0 })
    expect(await (await send('DELETE', one)).json()).toEqual({ deleted: true })
    expect((await send('DELETE', one)).status).toBe(404)
    expect((await send('POST', base, { name: 'x', url: 'http://10.0.0.1/' })).status).toBe(400)

    await audit.database.sql`update svc.instance_settings set entitlements = '{}'`
    await expect.poll(async () => (await send('POST', base, { name: 'x', url: receiver.url })).status).toBe(402)
    expect((await send('GET', base)).status).toBe(200)
  } finally {
    await audit.stop()
    await receiver.stop()
  }
})
