import { createReadStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from '../kernel/database/index.ts'
import { type ArchiveWriter, createArchive, type Header, type Summary } from './archive.ts'
import { type BackedUpRepository, bundleRepository } from './git-bundles.ts'
import {
  copyOut,
  listMigrations,
  listRepositories,
  listSequences,
  listTables,
  openSession,
  readSnapshot,
} from './store.ts'

/** Small files of the data directory that no other place holds. */
export const keptFiles = ['master-key', 'known-git-hosts', 'home-id'] as const

interface BackupOptions {
  readonly connection: Connection
  readonly dataDir: string
  readonly file: string
}

const newline = 10

/**
 * Database, keys and repositories in one file, while the server works on. The database first, as of one moment: what its
 * rows name in repositories is there already, for objects are only ever added.
 */
export async function writeBackup({ connection, dataDir, file }: BackupOptions): Promise<Summary> {
  const archive = await createArchive(file)
  try {
    const { rows, sequences, repositoryIds } = await addDatabase(archive, connection, dataDir)
    await addFiles(archive, dataDir)
    const repositories = await addRepositories(archive, dataDir, repositoryIds, `${file}.bundle`)
    const summary: Summary = { rows, sequences, repositories }
    await archive.add('summary.json', JSON.stringify(summary))
    await archive.finish()
    return summary
  } catch (error) {
    await archive.discard()
    throw error
  }
}

async function addDatabase(archive: ArchiveWriter, connection: Connection, dataDir: string) {
  const sql = await openSession(connection)
  try {
    return await readSnapshot(sql, async (snapshot) => {
      const header: Header = {
        format: 'svc-backup',
        version: 1,
        created_at: new Date().toISOString(),
        migrations: [...(await listMigrations(snapshot))],
        has_master_key: (await readKept(dataDir, 'master-key')) !== undefined,
      }
      await archive.add('header.json', JSON.stringify(header))
      const rows: Record<string, number> = {}
      for (const table of await listTables(snapshot)) {
        await archive.add(`database/${table.name}.json`, JSON.stringify(table.columns))
        // One line a row: newlines inside values are written as two characters.
        rows[table.name] = await archive.addStream(`database/${table.name}`, copyOut(snapshot, table), newline)
      }
      const repositoryIds = await listRepositories(snapshot)
      return { rows, repositoryIds, sequences: [...(await listSequences(snapshot))] }
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function addFiles(archive: ArchiveWriter, dataDir: string): Promise<void> {
  for (const name of keptFiles) {
    const content = await readKept(dataDir, name)
    if (content !== undefined) await archive.add(`files/${name}`, content)
  }
}

async function addRepositories(
  archive: ArchiveWriter,
  dataDir: string,
  ids: readonly string[],
  draft: string,
): Promise<BackedUpRepository[]> {
  const added: BackedUpRepository[] = []
  try {
    for (const id of ids) {
      const repository = await bundleRepository(dataDir, id, draft)
      if (!repository) continue
      await archive.add(`repositories/${id}.json`, JSON.stringify(repository))
      if (repository.ref_count > 0) await archive.addStream(`repositories/${id}`, createReadStream(draft))
      added.push(repository)
    }
    return added
  } finally {
    await rm(draft, { force: true })
  }
}

async function readKept(dataDir: string, name: string): Promise<Buffer | undefined> {
  return readFile(join(dataDir, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
