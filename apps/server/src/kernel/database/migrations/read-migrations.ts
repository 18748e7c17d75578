import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Statement, splitStatements } from './split-statements.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly file: string
  readonly checksum: string
  readonly statements: readonly Statement[]
}

/** The same folder whether the code runs from its sources or from `dist/main.mjs`: it stands beside the package.json. */
export function findMigrationsFolder(from = fileURLToPath(import.meta.url)): string {
  let folder = dirname(from)
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return join(folder, 'migrations')
}

/** In order of version. A file that breaks the rules of the folder is a mistake of ours and stops the start. */
export async function readMigrations(folder = findMigrationsFolder()): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const migrations = await Promise.all(files.map((file) => readMigration(folder, file)))
  migrations.forEach(({ version, file }, index) => {
    if (index > 0 && migrations[index - 1]?.version === version)
      throw new Error(`Migration ${file}: number used twice.`)
  })
  return migrations
}

async function readMigration(folder: string, file: string): Promise<Migration> {
  const match = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file)
  if (match === null) throw new Error(`Migration ${file}: the name must look like 0001-what-it-does.sql.`)
  // A checkout with other line ends is the same migration.
  const text = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n')
  const statements = splitStatements(text)
  for (const { text: statement, line } of statements) {
    if (/^(begin|start\s+transaction|commit|end|rollback|abort)\b/i.test(statement)) {
      throw new Error(`Migration ${file}, line ${line}: a migration is one transaction already and may not control it.`)
    }
  }
  const checksum = createHash('sha256').update(text).digest('hex')
  return { version: Number(match[1]), name: match[2] ?? '', file, checksum, statements }
}
