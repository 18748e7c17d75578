import { createFakeClock, type FakeClock } from '../../kernel/clock/index.ts'
import { readConfig } from '../../kernel/config.ts'
import type { Database } from '../../kernel/database/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { startEvents } from '../../kernel/events/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import { anonymousPrincipal, type Principal } from '../../kernel/principal.ts'
import { type AccessOptions, createAccess } from '../index.ts'

/** The access capability on a database of its own, with a clock that stands still. */
export async function startTestAccess(options: Partial<AccessOptions> = {}) {
  const database = await createTestDatabase()
  const node = await startNode(database, options)
  return {
    ...node,
    database,
    async stop() {
      await node.stop()
      await database.close()
    },
  }
}

/** One process of several on one database. */
export async function startNode(database: Database, options: Partial<AccessOptions> = {}) {
  const clock: FakeClock = createFakeClock(Date.now())
  const log = createLogger({ writer: createMemoryWriter() })
  const events = await startEvents({ sql: database.sql, log })
  database.usePublisher(events.publisher)
  const kernel = {
    config: readConfig({ SVC_DATA_DIR: '/nonexistent' }),
    log,
    clock,
    database,
    events,
    tokenHasher: { hashToken: (token: string) => `hash of ${token}` },
  }
  const access = createAccess(partialKernel(kernel), {
    ensurePersonalAccount: async (userId) => userId,
    ...options,
  })
  return {
    access,
    clock,
    events,
    async stop() {
      access.stop()
      await events.stop()
    },
  }
}

/** The access capability uses these parts of the kernel and no other. */
function partialKernel(parts: Partial<Kernel>): Kernel
function partialKernel(parts: Partial<Kernel>): unknown {
  return parts
}

export async function addUser(database: Database, email = `${newId()}@example.com`): Promise<string> {
  const userId = newId()
  await database.sql`insert into svc.users (user_id, email) values (${userId}, ${email})`
  return userId
}

export async function addAccount(database: Database): Promise<string> {
  const accountId = newId()
  await database.sql`insert into svc.accounts (account_id, name) values (${accountId}, 'An account')`
  return accountId
}

export async function addProject(database: Database, accountId: string): Promise<string> {
  const projectId = newId()
  await database.sql`
    insert into svc.projects (project_id, account_id, name) values (${projectId}, ${accountId}, 'A project')`
  return projectId
}

/** Somebody who signed in. */
export function signedIn(userId: string, over: Partial<Principal> = {}): Principal {
  const nobody = anonymousPrincipal({ type: 'human', userId, source: 'human' })
  return { ...nobody, kind: 'user', id: userId, authType: 'session', ...over }
}
