import type { RuntimeEvent } from './runtime.ts'

const maxFrameBytes = 32 * 1024 * 1024

/**
 * What the durable log keeps, as the contract names it, and the first word of a stream, by which its reader knows that it
 * misses nothing any more. The runtimes also tell of their own insides (plugins, catalogs); nobody reads that.
 */
const kept = new Set(
  `server.connected session.created session.updated session.deleted session.status session.idle session.compacted session.error
  session.diff message.updated message.removed message.part.updated message.part.delta message.part.removed
  permission.asked permission.replied question.asked question.replied question.rejected todo.updated file.edited
  file.watcher.updated pty.created pty.updated pty.exited pty.deleted command.executed vcs.branch.updated lsp.updated
  mcp.tools.changed project.updated server.instance.disposed global.disposed`.split(/\s+/),
)

/** Server-sent events of a runtime as one normalised stream. A frame that is no event is passed over. */
export async function* readEventStream(body: AsyncIterable<Uint8Array>): AsyncIterable<RuntimeEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true }).replaceAll('\r', '')
    const frames = rest.split('\n\n')
    rest = frames.pop() ?? ''
    if (rest.length > maxFrameBytes) throw new Error('The runtime sent an event that never ends.')
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event) yield event
    }
  }
}

function parseFrame(frame: string): RuntimeEvent | undefined {
  const data = frame
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n')
  if (data === '') return undefined
  const value = parseJson(data)
  // The stream of all directories wraps each event.
  const event = isObject(value) && isObject(value.payload) ? value.payload : value
  if (!isObject(event) || typeof event.type !== 'string' || !kept.has(event.type)) return undefined
  return { type: event.type, properties: isObject(event.properties) ? event.properties : {} }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Cut off by a runtime that died: the caller reconciles with the messages.
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
