import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { explainForbiddenRef, isFullSha } from './check-ref.ts'
import { isAncestor } from './compare-versions.ts'
import { GitError } from './git-error.ts'
import { measureQuarantine } from './measure-quarantine.ts'
import { closeRepository, openQuarantine, type Repository } from './repository.ts'

export interface RefUpdate {
  readonly ref: string
  readonly oldSha: string | null
  readonly newSha: string | null
  readonly isCreate: boolean
  readonly isDelete: boolean
  /** Commits of the branch would be left behind. */
  readonly isForce: boolean
}

/** Sentences for the person who pushes. `all` refuses the whole push, `refs` single refs by their full name. */
export interface Refusal {
  readonly all?: string
  readonly refs?: Readonly<Record<string, string>>
}

export interface ReceiveContext {
  /** Reads the repository as it would be after the push. Valid during the call only. */
  readonly repository: Repository
  /** What the new objects take when unpacked. */
  readonly inflatedBytes: number
  readonly signal?: AbortSignal | undefined
}

export interface ReceivePolicy {
  /** Asked once per push, before any ref moves. Throwing refuses everything. */
  readonly authorizeUpdates: (updates: readonly RefUpdate[], context: ReceiveContext) => Promise<Refusal | undefined>
  /** Told which refs have moved, before the client is. */
  readonly onApplied?: (applied: readonly RefUpdate[]) => Promise<void>
  /** Told what failed while a push was checked; the pusher only learns that it did. */
  readonly onProblem?: (error: unknown) => void
  /** Bytes the new objects may take when unpacked: what is left of the quota. */
  readonly maxInflatedBytes?: number
  readonly signal?: AbortSignal | undefined
}

const maxUpdates = 10_000

/** Answers the hooks of one push over its private line. */
export function answerHooks(
  repository: Repository,
  line: Socket,
  policy: ReceivePolicy,
): { finish: () => { applied: readonly RefUpdate[] } } {
  const refused = new Map<string, string>()
  let updates: RefUpdate[] = []
  let applied: readonly RefUpdate[] = []
  const reply = (verdict: 'accept' | 'refuse', sentences: readonly string[] = []) => {
    line.write(`${sentences.map((text) => `say ${cleanSentence(text)}\n`).join('')}${verdict}\n`)
  }

  const onPreReceive = async (fields: readonly string[]) => {
    const [objectDirectory = '', alternates = '', quarantine = '', ...commands] = fields
    if (commands.length > maxUpdates) return reply('refuse', [`A push may change at most ${maxUpdates} refs.`])
    const inside = openQuarantine(repository, quarantineVariables(objectDirectory, alternates, quarantine))
    try {
      const [inflatedBytes, read] = await Promise.all([
        objectDirectory === '' ? 0 : measureQuarantine(inside, policy.maxInflatedBytes),
        Promise.all(commands.map((command) => readUpdate(inside, command))),
      ])
      updates = read
      for (const { ref } of updates) {
        const why = explainForbiddenRef(ref)
        if (why) refused.set(ref, why)
      }
      const context = { repository: inside, inflatedBytes, signal: policy.signal }
      const refusal = await policy.authorizeUpdates(updates, context)
      if (refusal?.all) return reply('refuse', [refusal.all])
      for (const [ref, why] of Object.entries(refusal?.refs ?? {})) refused.set(ref, why)
      if (updates.every(({ ref }) => refused.has(ref))) return reply('refuse', [...new Set(refused.values())])
      return reply('accept')
    } finally {
      closeRepository(inside)
    }
  }

  const onPostReceive = async (commands: readonly string[]) => {
    const moved = new Set(commands.map((command) => command.split(' ')[2]))
    applied = updates.filter(({ ref }) => moved.has(ref))
    await policy.onApplied?.(applied)
    reply('accept')
  }

  readMessages(line, async (kind, fields) => {
    try {
      if (kind === 'pre-receive') await onPreReceive(fields)
      else if (kind === 'post-receive') await onPostReceive(fields)
      else {
        const why = refused.get(fields[0] ?? '')
        reply(why ? 'refuse' : 'accept', why ? [why] : [])
      }
    } catch (error) {
      // The pusher learns what a GitError says in public; anything else stays with the server.
      reply('refuse', [GitError.isInstance(error) ? error.message : unexplained(kind)])
      if (!GitError.isInstance(error) || error.code === 'git_failed') policy.onProblem?.(error)
    }
  })
  return {
    finish: () => {
      line.destroy()
      return { applied }
    },
  }
}

/** After its refs have moved nothing refuses a push any more. */
const unexplained = (kind: string): string =>
  kind === 'post-receive'
    ? 'The push arrived, but the server could not note it.'
    : 'The push could not be checked. Try again.'

/** A message is one `update <ref>` line, or the name of the hook, lines, and `end`. */
function readMessages(line: Socket, onMessage: (kind: string, fields: string[]) => Promise<void>): void {
  let kind: string | undefined
  let fields: string[] = []
  const lines = createInterface({ input: line, crlfDelay: Number.POSITIVE_INFINITY })
  // A git that was killed in the middle of a question breaks the line; readline says so a second time, as an event of
  // its own that nobody may leave unheard. What became of the push shows in the exit of the process.
  lines.on('error', () => undefined)
  lines.on('line', (text) => {
    if (kind === undefined && text.startsWith('update ')) {
      void onMessage('update', [text.slice('update '.length)])
      return
    }
    if (kind === undefined) {
      kind = text
      fields = []
      return
    }
    if (text !== 'end') {
      fields.push(text)
      return
    }
    void onMessage(kind, fields)
    kind = undefined
  })
}

async function readUpdate(inside: Repository, command: string): Promise<RefUpdate> {
  const [old = '', now = '', ref = ''] = command.split(' ')
  const oldSha = isFullSha(old) && !/^0+$/.test(old) ? old : null
  const newSha = isFullSha(now) && !/^0+$/.test(now) ? now : null
  const movesBranch = oldSha !== null && newSha !== null
  return {
    ref,
    oldSha,
    newSha,
    isCreate: oldSha === null,
    isDelete: newSha === null,
    isForce: movesBranch && (!ref.startsWith('refs/heads/') || !(await isAncestor(inside, oldSha, newSha))),
  }
}

function quarantineVariables(objects: string, alternates: string, quarantine: string): Record<string, string> {
  if (objects === '') return {}
  return {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates,
    GIT_QUARANTINE_PATH: quarantine,
  }
}

function cleanSentence(text: string): string {
  return text.replace(/[\p{Cc}]+/gu, ' ').slice(0, 2000)
}
