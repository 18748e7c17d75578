import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildOpenApi, listOperations } from '@svc/contract'
import { expect, test } from 'vitest'

test('the OpenAPI document passes redocly lint', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-openapi-'))
  const file = join(folder, 'openapi.json')
  await writeFile(
    file,
    JSON.stringify(buildOpenApi(listOperations(), { version: '1.0.0', serverUrl: 'https://svc.example.com' })),
  )
  const redocly = join(import.meta.dirname, '..', 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')
  const args = [redocly, 'lint', file, '--extends=recommended', '--format=codeframe']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env }).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  await rm(folder, { recursive: true })
  expect(`${stdout}${stderr}`).toContain('Your API description is valid')
}, 120_000)
