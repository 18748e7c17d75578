import { join } from 'node:path'
import { measureBundle } from '../tests/sdk/bundle-size.ts'
import { formatTable } from './support/rounds.ts'

/**
 * How much a program pays for the client library: bundled for a browser, minified and gzipped, beside the client
 * libraries of other services measured the same way. Budgets are held by `tests/sdk/size.test.ts`.
 */

export const needsPeers = true

const ours = [
  ['@svc/sdk, everything', `export * from '@svc/sdk'`],
  [
    '@svc/sdk, REST calls only',
    `import { createRest } from '@svc/sdk'
     const svc = createRest({ backendUrl: 'https://svc.example.com', getToken: async () => 'token' })
     console.log(await svc.projects.list())`,
  ],
] as const

const peers = ['@supabase/supabase-js', 'openai', 'stripe', '@octokit/rest', 'e2b']

export async function run(): Promise<void> {
  const rows: string[][] = []
  for (const [name, program] of ours) rows.push([name, await measure(program, join(process.cwd(), 'node_modules'))])
  for (const name of peers) rows.push([name, await measure(`export * from '${name}'`, peersFolder())])
  console.log('minified and gzipped, bundled for a browser')
  console.log(formatTable(['library', 'size'], rows))
}

const peersFolder = () => process.env.SVC_BENCH_PEERS ?? join(process.cwd(), 'bench', 'peers')

async function measure(program: string, folder: string): Promise<string> {
  try {
    return `${((await measureBundle(program, folder)) / 1000).toFixed(1)} kB`
  } catch (error) {
    return `does not bundle for a browser: ${String(error).split('\n')[0]}`
  }
}
