import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Connection } from '../kernel/database/index.ts'
import { connectDatabase } from '../kernel/database/index.ts'
import { migrate } from '../kernel/database/migrations/migrate.ts'
import { migrateJobQueue } from '../kernel/database/migrations/migrate-job-queue.ts'
import { type Migration, readMigrations } from '../kernel/database/migrations/read-migrations.ts'
import { StartError } from '../kernel/start-error.ts'
import { type Group, Header, readArchive, readWhole, Summary } from './archive.ts'
import { type BackedUpRepository, restoreRepository } from './git-bundles.ts'
import { copyIn, countRows, fillTables, openSession, setSequence } from './store.ts'
import { keptFiles } from './write-backup.ts'

interface RestoreOptions {
  readonly file: string
  /** Empty, and nobody works in it. */
  readonly dataDir: string
  /** A database without the platform's tables. */
  readonly connection: Connection
}

/** Reads a backup to its end: complete, undamaged, and one that this server understands. */
export async function checkBackup(file: string): Promise<{ header: Header; summary: Summary }> {
  let header: Header | undefined
  let summary: Summary | undefined
  try {
    for await (const { name, pieces } of readArchive(file)) {
      if (name === 'header.json') header = Header.parse(JSON.parse(await readWhole(pieces)))
      if (name === 'summary.json') summary = Summary.parse(JSON.parse(await readWhole(pieces)))
    }
  } catch (cause) {
    throw unreadable(file, cause instanceof Error ? cause.message : String(cause), cause)
  }
  if (header && summary) return { header, summary }
  throw unreadable(file, 'it is not complete')
}

const unreadable = (file: string, why: string, cause?: unknown) =>
  new StartError(`The backup ${file} cannot be read: ${why}`, 'Check its name, or use another backup.', { cause })

/** The schema as it was, then its rows, then the migrations since; repositories and keys beside it. */
export async function restoreBackup({ file, dataDir, connection }: RestoreOptions): Promise<Summary> {
  const { header, summary } = await checkBackup(file)
  await migrate(connection, chooseMigrations(header, await readMigrations()))
  await prepareJobQueue(connection)
  const sql = await openSession(connection)
  try {
    await fillTables(sql, async (filling) => {
      const repositories = new Map<string, BackedUpRepository>()
      let columns: string[] = []
      for await (const group of readArchive(file)) {
        const [, kind, name] = /^(database|repositories|files)\/(.+)$/.exec(group.name) ?? []
        if (kind === undefined || name === undefined) continue
        if (kind === 'files') await restoreFile(dataDir, name, group)
        if (kind === 'repositories') await restoreOne(dataDir, name, group, repositories)
        if (kind !== 'database') continue
        if (name.endsWith('.json')) columns = JSON.parse(await readWhole(group.pieces))
        else await copyIn(filling, { name, columns }, group.pieces)
      }
      for (const one of summary.sequences) await setSequence(filling, one.name, one.last_value)
      for (const [table, rows] of Object.entries(summary.rows)) {
        const found = await countRows(filling, table)
        if (found !== rows) throw new Error(`${table} has ${found} rows after the restore; the backup says ${rows}.`)
      }
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
  await migrate(connection)
  return summary
}

function chooseMigrations({ migrations }: Header, known: readonly Migration[]): Migration[] {
  return migrations.map(({ version, name, checksum }) => {
    const ours = known.find((migration) => migration.version === version && migration.checksum === checksum)
    if (ours) return ours
    throw new StartError(
      `The backup was made by another server: this one does not have its migration ${version} (${name}).`,
      'Restore it with the server that made it, or a newer one.',
    )
  })
}

async function prepareJobQueue(connection: Connection): Promise<void> {
  const database = connectDatabase(connection, { maxConnections: 2 })
  await migrateJobQueue(database.sql, database.connectionString).finally(() => database.disconnect())
}

async function restoreFile(dataDir: string, name: string, { pieces }: Group): Promise<void> {
  if (!keptFiles.some((kept) => kept === name)) return
  const path = join(dataDir, name)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, pieces, { mode: 0o600 })
}

/** First what is known about it, then, unless it is empty, its objects and refs. */
async function restoreOne(
  dataDir: string,
  name: string,
  { pieces }: Group,
  known: Map<string, BackedUpRepository>,
): Promise<void> {
  if (name.endsWith('.json')) {
    const repository: BackedUpRepository = Summary.shape.repositories.element.parse(JSON.parse(await readWhole(pieces)))
    known.set(repository.id, repository)
    await mkdir(join(dataDir, 'repositories'), { recursive: true, mode: 0o700 })
    if (repository.ref_count === 0) await restoreRepository(dataDir, repository, undefined)
    return
  }
  const repository = known.get(name)
  if (!repository) throw new Error(`The backup holds objects of a repository it does not describe: ${name}`)
  const bundle = join(dataDir, 'restore.bundle')
  try {
    await pipeline(pieces, createWriteStream(bundle, { mode: 0o600 }))
    await restoreRepository(dataDir, repository, bundle)
  } finally {
    await rm(bundle, { force: true })
  }
}
