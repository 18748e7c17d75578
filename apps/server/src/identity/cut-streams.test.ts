import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProjectWorld } from '../projects/testing/project-world.ts'

const isLinux = process.platform === 'linux'

let world: Awaited<ReturnType<typeof startProjectWorld>>
beforeAll(async () => {
  world = await startProjectWorld()
})
afterAll(() => world.stop())

/** A push that never ends, as a hung client leaves it; resolves when the platform cuts it. */
function pushForEver(projectId: string, token: string): Promise<string> {
  return new Promise((resolve) => {
    const push = request(`${world.platform.url}/v1/git/${projectId}.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
        'content-type': 'application/x-git-receive-pack-request',
        'transfer-encoding': 'chunked',
      },
    })
    push.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    push.on('response', (response) => resolve(`answered ${response.statusCode}`))
    push.write('0')
  })
}

/** Waits until git receives it: before that, a credential that ends refuses the transfer and cuts nothing. */
const untilReceived = (projectId: string) =>
  expect.poll(async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
    return lines.some((line) => line.includes('receive-pack') && line.includes(projectId))
  })

test.runIf(isLinux)('a key that is revoked while a transfer runs cuts it', async () => {
  const { project_id: projectId } = await world.provision()
  const { body: key } = await world.call('POST', `/v1/projects/${projectId}/cli-token`, {})
  const push = pushForEver(projectId, key.secret_key)
  await untilReceived(projectId).toBe(true)
  await world.call('DELETE', `/v1/projects/${projectId}/cli-token/${key.token_id}`)
  expect(await push).toBe('ECONNRESET')
})

test.runIf(isLinux)('somebody who loses their role while a transfer runs loses the transfer', async () => {
  const { project_id: projectId, account_id: accountId } = await world.provision()
  const { body: account } = await world.call('POST', `/v1/accounts/${accountId}/iam/service-accounts`, {
    name: 'Robot',
  })
  const grant = { principal_type: 'service_account', principal_id: account.service_account_id, role_key: 'manager' }
  const { body: assignment, status } = await world.call('POST', `/v1/accounts/${accountId}/iam/assignments`, {
    ...grant,
    scope_type: 'project',
    scope_id: projectId,
  })
  expect([status, assignment]).toEqual([201, expect.anything()])
  const push = pushForEver(projectId, account.secret)
  await untilReceived(projectId).toBe(true)
  await world.call('DELETE', `/v1/accounts/${accountId}/iam/assignments/${assignment.assignment_id}`)
  expect(await push).toBe('ECONNRESET')
})
