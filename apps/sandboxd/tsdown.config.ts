import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'

const shared: UserConfig = { platform: 'node', target: 'node20', dts: false, clean: false, fixedExtension: true }
/** Runs in a machine that has nothing but this file: everything it imports is in it, the terminal's native part aside. */
const program: UserConfig = {
  ...shared,
  format: 'esm',
  minify: 'dce-only',
  deps: { neverBundle: ['@lydell/node-pty'] },
}

export default defineConfig([
  {
    ...shared,
    format: 'esm',
    entry: ['src/index.ts'],
    clean: true,
    hooks: { 'build:done': ({ options }) => shipTerminals(options.outDir) },
  },
  { ...program, entry: { sandboxd: 'src/main.ts' } },
  // Loaded by every Node program of the agent: the first is tiny and loads the second at the first fetch.
  {
    ...shared,
    format: 'cjs',
    deps: { neverBundle: ['./node-proxy-agent.cjs'] },
    entry: { 'node-proxy': 'src/preload/node-proxy.ts' },
  },
  { ...shared, format: 'cjs', minify: true, entry: { 'node-proxy-agent': 'src/preload/node-proxy-agent.ts' } },
  ...(existsSync(join(import.meta.dirname, 'src/pi-bridge/main.ts'))
    ? [{ ...program, entry: { 'pi-bridge': 'src/pi-bridge/main.ts' } }]
    : []),
])

/** The terminal's prebuilt native part beside the bundle, where the machine finds it: the whole folder is mounted. */
function shipTerminals(dist: string) {
  const scope = dirname(dirname(createRequire(import.meta.url).resolve('@lydell/node-pty/package.json')))
  const target = join(dist, 'node_modules', basename(scope))
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(scope)) {
    if (name.startsWith('node-pty'))
      cpSync(join(scope, name), join(target, name), { recursive: true, dereference: true })
  }
}
