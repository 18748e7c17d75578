import { basename } from 'node:path'
import { Conversation } from './conversation.ts'
import { ConversationStore } from './conversation-store.ts'
import type { SessionInfo } from './dialect.ts'
import { EventHub } from './event-hub.ts'
import { makeId } from './make-id.ts'
import { notFound } from './not-supported.ts'
import type { BridgeSettings } from './settings.ts'

export const bridgeVersion = 'pi-0.73.1'

/** All conversations of a machine, and who listens to them. */
export class Bridge {
  readonly settings: BridgeSettings
  readonly hub = new EventHub()
  readonly #store: ConversationStore
  readonly #conversations = new Map<string, Conversation>()

  constructor(settings: BridgeSettings) {
    this.settings = settings
    this.#store = new ConversationStore(settings.stateFolder)
    for (const stored of this.#store.load()) {
      this.#conversations.set(stored.info.id, new Conversation(this.#around(), stored))
    }
  }

  list(): Conversation[] {
    return [...this.#conversations.values()]
  }

  find(id: string | undefined): Conversation {
    const found = this.#conversations.get(id ?? '')
    if (!found) throw notFound(`There is no conversation ${id}.`)
    return found
  }

  create(title: string | undefined): Conversation {
    const now = Date.now()
    const info: SessionInfo = {
      id: makeId('ses'),
      slug: `pi-${now.toString(36)}`,
      projectID: basename(this.settings.workspace),
      directory: this.settings.workspace,
      title: title ?? `New session - ${new Date(now).toISOString()}`,
      version: bridgeVersion,
      time: { created: now, updated: now },
    }
    this.#store.saveInfo(info)
    const conversation = new Conversation(this.#around(), { info, messages: new Map() })
    this.#conversations.set(info.id, conversation)
    this.hub.publish('session.created', { sessionID: info.id, info })
    conversation.warm()
    return conversation
  }

  remove(id: string): void {
    const { info } = this.find(id)
    this.find(id).stop()
    this.#conversations.delete(id)
    this.#store.remove(id)
    this.hub.publish('session.deleted', { sessionID: id, info })
  }

  /** Settings are read again when pi starts again; turns in flight are broken off. */
  dispose(): void {
    for (const conversation of this.list()) conversation.stop()
    this.hub.publish('global.disposed', {})
  }

  #around() {
    return { settings: this.settings, store: this.#store, hub: this.hub }
  }
}
