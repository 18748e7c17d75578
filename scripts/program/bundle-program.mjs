import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inRepository, root } from '../setup/repository.mjs'

/**
 * Bundles one TypeScript program with the sources of our packages, not their builds. The bundle lies below the
 * repository, so that npm packages are found as usual, and is removed when `use` has ended.
 *
 * @template T
 * @param {string} source path of the program
 * @param {(bundle: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withBundle(source, use) {
  const cache = inRepository('node_modules', '.cache', 'svc')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'program-'))
  try {
    const { build } = await import('tsdown')
    await build({
      config: false,
      cwd: root,
      entry: [source],
      outDir: folder,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      dts: false,
      clean: false,
      logLevel: 'warn',
      report: false,
      deps: { skipNodeModulesBundle: true },
      inputOptions: { resolve: { conditionNames: ['svc-source', 'import', 'node', 'default'] } },
    })
    return await use(join(folder, `${basename(source, '.ts')}.mjs`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
