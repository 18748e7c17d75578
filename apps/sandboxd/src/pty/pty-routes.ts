import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { readJson, readText } from '../http/read-body.ts'
import { refuse, sendJson } from '../http/reply.ts'
import type { Call, Route } from '../http/route.ts'
import { connectTerminal } from './connect-terminal.ts'
import type { Terminal, TerminalSize, Terminals } from './terminals.ts'

const maxInputBytes = 1_048_576
const maxCells = 1_000

export function listPtyRoutes(terminals: Terminals): readonly Route[] {
  const route = (method: string, path: string, handle: (call: Call) => Promise<unknown>): Route => ({
    method,
    path,
    access: 'key',
    handle: async (call) => sendJson(call.response, 200, await handle(call)),
  })
  return [
    route('GET', '/svc/pty', async () => terminals.list()),
    route('POST', '/svc/pty', async ({ request }) => createFromBody(terminals, await readJson(request)).info),
    route('GET', '/svc/pty/:id', async ({ params }) => requireTerminal(terminals, params.id).info),
    route('PATCH', '/svc/pty/:id', async ({ request, params }) => {
      const terminal = requireTerminal(terminals, params.id)
      const body = await readJson(request)
      const title = readText(body, 'title')
      const size = readSize(body.size)
      if (title !== undefined) terminal.rename(title)
      if (size) terminal.resize(size)
      return terminal.info
    }),
    route('DELETE', '/svc/pty/:id', async ({ params }) => {
      requireTerminal(terminals, params.id)
      return terminals.remove(params.id ?? '')
    }),
  ]
}

export interface TerminalUpgrades {
  /** The id asked for, empty for a new terminal; undefined when the path is none of a terminal's. */
  match(pathname: string): string | undefined
  accept(id: string, url: URL, request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** `/svc/pty/connect` and `/svc/pty/{id}/connect`: an id nobody has yet begins a shell under that id. */
export function createTerminalUpgrades(terminals: Terminals): TerminalUpgrades {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxInputBytes, perMessageDeflate: false })
  return {
    match(pathname) {
      const found = /^\/svc\/pty(?:\/([^/]+))?\/connect$/.exec(pathname)
      return found ? (found[1] ?? '') : undefined
    },
    accept(id, url, request, socket, head) {
      if (id !== '' && !/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
        throw refuse(400, 'bad_request', 'A terminal id has letters, digits, - and _, at most 64.')
      }
      const size = readSize({ rows: url.searchParams.get('rows'), cols: url.searchParams.get('cols') })
      const terminal = terminals.find(id) ?? terminals.create({ id: id || undefined, size })
      server.handleUpgrade(request, socket, head, (webSocket) => connectTerminal(webSocket, terminal))
    },
  }
}

function createFromBody(terminals: Terminals, body: Record<string, unknown>): Terminal {
  const id = readText(body, 'id')
  if (id !== undefined && terminals.find(id)) throw refuse(409, 'exists', 'There is a terminal of this id already.')
  return terminals.create({
    id,
    command: readText(body, 'command'),
    args: readTexts(body.args, 'args'),
    cwd: readText(body, 'cwd'),
    title: readText(body, 'title'),
    env: readVariables(body.env),
    size: readSize(body.size),
  })
}

function requireTerminal(terminals: Terminals, id: string | undefined): Terminal {
  const terminal = terminals.find(id ?? '')
  if (!terminal) throw refuse(404, 'not_found', 'There is no such terminal.')
  return terminal
}

function readSize(value: unknown): TerminalSize | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { rows, cols } = value as Record<string, unknown>
  if (rows === null || rows === undefined || cols === null || cols === undefined) return undefined
  const size = { rows: Number(rows), cols: Number(cols) }
  if (![size.rows, size.cols].every((cells) => Number.isInteger(cells) && cells > 0 && cells <= maxCells)) {
    throw refuse(400, 'bad_request', `rows and cols must be whole numbers from 1 to ${maxCells}.`)
  }
  return size
}

function readTexts(value: unknown, name: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) {
    throw refuse(400, 'bad_request', `${name} must be a list of strings.`)
  }
  return value
}

function readVariables(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
}
