import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'tsdown'

/** The size of a program once it is bundled for a browser, minified and gzipped, in bytes. */
export async function measureBundle(program: string, folder: string): Promise<number> {
  const work = mkdtempSync(join(folder, '.size-'))
  try {
    const entry = join(work, 'program.ts')
    writeFileSync(entry, program)
    await build({
      config: false,
      cwd: work,
      entry: [entry],
      outDir: join(work, 'out'),
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      minify: true,
      dts: false,
      logLevel: 'silent',
      deps: { alwaysBundle: [/.*/], onlyBundle: false },
      inputOptions: { resolve: { conditionNames: ['svc-source', 'browser', 'import', 'default'] } },
      outputOptions: { codeSplitting: false },
    })
    const [file = ''] = readdirSync(join(work, 'out'))
    return gzipSync(readFileSync(join(work, 'out', file)), { level: 9 }).length
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
