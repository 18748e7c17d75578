import { createServer } from 'node:net'

/**
 * Below the ports that systems hand out to whoever listens on any or connects to somebody: of those, one that was free a
 * moment ago may be taken by chance before the program that was told of it has started.
 */
const lowest = 20_000
const count = 12_000
/** Test processes side by side begin apart. */
let last = (process.pid * 97) % count

/** A loopback port for a program that has to be told one; each is given once. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    last = (last + 1) % count
    if (await isFree(lowest + last)) return lowest + last
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
