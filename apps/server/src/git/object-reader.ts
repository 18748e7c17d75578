import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { signalGroup } from './end-process.ts'
import { GitError } from './git-error.ts'
import { type GitPlace, spawnGit } from './run-git.ts'

export interface ObjectInfo {
  readonly objectId: string
  readonly type: string
  readonly sizeBytes: number
}

export interface ObjectContents extends ObjectInfo {
  readonly content: Buffer
}

type Answer = ObjectContents | null | 'ambiguous'

interface Question {
  readonly name: Buffer
  readonly wantsContents: boolean
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: GitError) => void
}

const answerTimeoutMs = 30_000
const empty = Buffer.alloc(0)

/**
 * One `git cat-file --batch-command` process. Questions are answered in the order they were asked, so many may be
 * under way at once. A name is any revision expression; callers build it from checked parts only.
 */
export class ObjectReader {
  lastUsedMs = Date.now()
  private readonly child: ChildProcessWithoutNullStreams
  private readonly questions: Question[] = []
  private chunks: Buffer[] = []
  private chunkBytes = 0
  private wantedBytes = 0
  private broken: GitError | undefined
  private timer: NodeJS.Timeout | undefined
  private readonly onIdle: () => void
  private readonly onGone: () => void

  constructor(place: GitPlace, events: { onIdle: () => void; onGone: () => void }) {
    this.onIdle = events.onIdle
    this.onGone = events.onGone
    this.child = spawnGit(place, ['cat-file', '--batch-command', '--buffer', '-z'])
    let errorText = ''
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorText = (errorText + text).slice(-4096)
    })
    this.child.stdout.on('data', (piece: Buffer) => this.receive(piece))
    // A write to a reader that just died: 'close' fails the questions with the reason.
    this.child.stdin.on('error', () => undefined)
    this.child.on('error', (cause) => this.fail(new GitError('git_failed', 'git could not be started.', { cause })))
    this.child.on('close', () => this.fail(endedError(errorText)))
  }

  get pending(): number {
    return this.questions.length
  }

  get isDead(): boolean {
    return this.broken !== undefined
  }

  async info(name: Buffer): Promise<ObjectInfo | null | 'ambiguous'> {
    const [answer = null] = await this.ask([name], false)
    return answer
  }

  async contents(name: Buffer): Promise<ObjectContents | null | 'ambiguous'> {
    const [answer = null] = await this.ask([name], true)
    return answer
  }

  /** Many questions in one exchange. */
  infoOfAll(names: readonly Buffer[]): Promise<(ObjectInfo | null | 'ambiguous')[]> {
    return this.ask(names, false)
  }

  close(): void {
    this.fail(new GitError('aborted', 'The repository was closed.'))
    this.child.stdin.destroy()
    signalGroup(this.child, 'SIGTERM')
  }

  private ask(names: readonly Buffer[], wantsContents: boolean): Promise<Answer[]> {
    if (this.broken) return Promise.reject(this.broken)
    const answers = names.map((name) => {
      return new Promise<Answer>((resolve, reject) => this.questions.push({ name, wantsContents, resolve, reject }))
    })
    this.armTimer()
    const command = wantsContents ? contentsCommand : infoCommand
    this.child.stdin.write(Buffer.concat([...names.flatMap((name) => [command, name, nul]), flushCommand]))
    return Promise.all(answers)
  }

  private receive(piece: Buffer): void {
    this.chunks.push(piece)
    this.chunkBytes += piece.length
    if (this.chunkBytes < this.wantedBytes) return
    let buffer = this.chunks.length === 1 ? piece : Buffer.concat(this.chunks)
    for (;;) {
      const used = this.answerFrom(buffer)
      if (used === 0) break
      buffer = buffer.subarray(used)
    }
    this.chunks = buffer.length > 0 ? [buffer] : []
    this.chunkBytes = buffer.length
    this.armTimer()
    if (this.questions.length === 0) {
      this.lastUsedMs = Date.now()
      this.onIdle()
    }
  }

  /** Answers the first question if its whole answer has arrived; returns the bytes used, or 0. */
  private answerFrom(buffer: Buffer): number {
    const question = this.questions[0]
    if (!question || buffer.length === 0) return 0
    for (const [suffix, answer] of refusals) {
      const line = question.name.length + suffix.length
      if (buffer.length < line || !buffer.subarray(question.name.length, line).equals(suffix)) continue
      if (!buffer.subarray(0, question.name.length).equals(question.name)) continue
      this.take(question, answer)
      return line
    }
    const header = readHeader(buffer)
    if (!header) return 0
    const { lineBytes, ...info } = header
    if (!question.wantsContents) {
      this.take(question, { ...info, content: empty })
      return lineBytes
    }
    const total = lineBytes + info.sizeBytes + 1
    if (buffer.length < total) {
      this.wantedBytes = total
      return 0
    }
    this.take(question, { ...info, content: Buffer.from(buffer.subarray(lineBytes, total - 1)) })
    return total
  }

  private take(question: Question, answer: Answer): void {
    this.questions.shift()
    this.wantedBytes = 0
    question.resolve(answer)
  }

  private armTimer(): void {
    if (this.questions.length === 0) {
      clearTimeout(this.timer)
      this.timer = undefined
      return
    }
    if (this.timer) {
      this.timer.refresh()
      return
    }
    this.timer = setTimeout(() => {
      this.fail(new GitError('timeout', 'The repository did not answer in time.'))
      signalGroup(this.child, 'SIGKILL')
    }, answerTimeoutMs)
  }

  private fail(error: GitError): void {
    if (this.broken) return
    this.broken = error
    clearTimeout(this.timer)
    for (const question of this.questions.splice(0)) question.reject(error)
    this.onGone()
  }
}

const nul = Buffer.from([0])
const flushCommand = Buffer.from('flush\0')
const infoCommand = Buffer.from('info ')
const contentsCommand = Buffer.from('contents ')
const refusals: readonly (readonly [Buffer, null | 'ambiguous'])[] = [
  [Buffer.from(' missing\n'), null],
  [Buffer.from(' ambiguous\n'), 'ambiguous'],
]

function readHeader(buffer: Buffer): (ObjectInfo & { lineBytes: number }) | null {
  const end = buffer.indexOf(0x0a)
  if (end === -1) return null
  const [objectId, type, size] = buffer.toString('latin1', 0, end).split(' ')
  const sizeBytes = Number(size)
  // Not hexadecimal: the first line of an echoed name that holds a line break and has not fully arrived.
  if (!objectId || !/^[0-9a-f]+$/.test(objectId) || type === undefined || !Number.isSafeInteger(sizeBytes)) return null
  return { objectId, type, sizeBytes, lineBytes: end + 1 }
}

function endedError(errorText: string): GitError {
  if (/not a git repository/.test(errorText)) {
    return new GitError('repository_not_found', 'The repository does not exist.', { privateText: errorText })
  }
  return new GitError('git_failed', 'Reading the repository ended unexpectedly.', { privateText: errorText })
}
