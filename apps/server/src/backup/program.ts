import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readConfig } from '../kernel/config.ts'
import { StartError } from '../kernel/start-error.ts'
import type { Summary } from './archive.ts'
import { withDatabase } from './reach-database.ts'
import { replaceDataDirectory } from './replace-data-directory.ts'
import { writeBackup } from './write-backup.ts'

/** `npm run backup` and `npm run restore`: for whoever runs the instance, on its own machine. */
export async function run(command: 'backup' | 'restore', given: readonly string[]): Promise<number> {
  const [name, ...others] = given.filter((word) => word !== '-y')
  // npm takes a bare `-y` for itself and says so in the environment.
  const replace = given.includes('-y') || process.env.npm_config_yes === 'true'
  if (name === undefined || others.length > 0 || name.startsWith('-')) {
    process.stderr.write(`Usage: npm run ${command} -- <file>${command === 'restore' ? ' [-y]' : ''}\n`)
    return 2
  }
  const file = resolve(process.env.INIT_CWD ?? process.cwd(), name)
  try {
    await (command === 'backup' ? backup(file) : restore(file, replace))
    return 0
  } catch (error) {
    if (!StartError.isInstance(error)) throw error
    process.stderr.write(`\n✗ ${error.message}\n  ${error.fix}\n\n`)
    return 1
  }
}

async function backup(file: string): Promise<void> {
  const { dataDir, databaseUrl } = readConfig()
  const summary = await withDatabase({ dataDir, databaseUrl }, (connection) =>
    writeBackup({ connection, dataDir, file }),
  )
  const { size } = await stat(file)
  say(`✓ ${file}: ${describe(summary)}, ${(size / 1024 / 1024).toFixed(1)} MB`)
  say('  It holds every key of the instance: keep it where only you can read it.')
}

async function restore(file: string, replace: boolean): Promise<void> {
  const { dataDir, databaseUrl } = readConfig()
  const { summary, before, hasMasterKey } = await replaceDataDirectory({ file, dataDir, databaseUrl, replace })
  say(`✓ ${dataDir}: ${describe(summary)}; counts are equal and every repository is sound`)
  if (before !== undefined) say(`  What was there before is now at ${before}`)
  if (!hasMasterKey) say('  The master key is not in this backup: start with the SVC_MASTER_KEY of the instance.')
}

function describe({ rows, repositories }: Summary): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  return `${total} rows in ${Object.keys(rows).length} tables, ${repositories.length} repositories`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
