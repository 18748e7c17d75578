import type { WebSocket } from 'ws'
import type { Terminal, Viewer } from './terminals.ts'

const holdAtBytes = 1_048_576
const releaseAtBytes = 262_144
/** A viewer that takes nothing for so long is gone, and must not hold the program up for the others. */
const stuckMs = 15_000
const pingMs = 25_000

/** Shows a terminal on a WebSocket: first what it showed last, then what it shows; every frame back is typed into it. */
export function connectTerminal(socket: WebSocket, terminal: Terminal): void {
  if (terminal.info.status === 'exited') {
    if (terminal.scrollback !== '') socket.send(terminal.scrollback)
    socket.close(1000, 'exited')
    return
  }
  let stuck: NodeJS.Timeout | undefined
  let isAlive = true
  const viewer: Viewer = {
    onData(text) {
      socket.send(text, () => {
        if (stuck === undefined || socket.bufferedAmount > releaseAtBytes) return
        clearTimeout(stuck)
        stuck = undefined
        terminal.release(viewer)
      })
      if (stuck !== undefined || socket.bufferedAmount <= holdAtBytes) return
      stuck = setTimeout(() => socket.terminate(), stuckMs)
      terminal.hold(viewer)
    },
    onExit: () => socket.close(1000, 'exited'),
  }
  if (terminal.scrollback !== '') socket.send(terminal.scrollback)
  const leave = terminal.watch(viewer)
  const pings = setInterval(() => {
    if (!isAlive) socket.terminate()
    isAlive = false
    socket.ping()
  }, pingMs)

  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('message', (data) => terminal.write(data.toString()))
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(pings)
    clearTimeout(stuck)
    leave()
  })
}
