import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Message, SessionInfo } from './dialect.ts'

export interface StoredConversation {
  info: SessionInfo
  readonly messages: Map<string, Message>
}

/** Conversations as lines of JSON, one file each: a line replaces what an earlier one said of the same thing. */
export class ConversationStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
  }

  /** A last line that a crash cut off is left out. */
  load(): StoredConversation[] {
    const names = readdirSync(this.#folder).filter((name) => /^ses_\w+\.jsonl$/.test(name))
    return names.map((name) => this.#read(join(this.#folder, name))).filter((found) => found !== undefined)
  }

  saveInfo(info: SessionInfo): void {
    this.#append(info.id, { info })
  }

  saveMessage(sessionId: string, message: Message): void {
    this.#append(sessionId, { message })
  }

  remove(sessionId: string): void {
    rmSync(this.#path(sessionId), { force: true })
    rmSync(this.sessionFolder(sessionId), { recursive: true, force: true })
  }

  /** Where pi keeps what it needs to go on with a conversation. */
  sessionFolder(sessionId: string): string {
    return join(this.#folder, sessionId)
  }

  #path(sessionId: string): string {
    return join(this.#folder, `${sessionId}.jsonl`)
  }

  #append(sessionId: string, line: object): void {
    appendFileSync(this.#path(sessionId), `${JSON.stringify(line)}\n`)
  }

  #read(path: string): StoredConversation | undefined {
    const messages = new Map<string, Message>()
    let info: SessionInfo | undefined
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const entry = parseLine(line)
      if (entry?.info) info = entry.info
      if (entry?.message) messages.set(entry.message.info.id, entry.message)
    }
    if (!info) return undefined
    // One line for each thing again, so that the file does not grow with every start.
    const lines = [{ info }, ...[...messages.values()].map((message) => ({ message }))]
    writeFileSync(path, lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    return { info, messages }
  }
}

function parseLine(line: string): { info?: SessionInfo; message?: Message } | undefined {
  try {
    return line === '' ? undefined : JSON.parse(line)
  } catch {
    // Cut off while it was written.
    return undefined
  }
}
