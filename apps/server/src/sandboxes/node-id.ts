import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isUuid, newId } from '../kernel/ids/index.ts'

/** Names the data directory for ever: machines lie in it, and only the server that has it open runs them. */
export function readNodeId(dataDir: string): string {
  const file = join(dataDir, 'sandboxes', 'node-id')
  const found = tryRead(file)
  if (isUuid(found)) return found
  const id = newId()
  mkdirSync(join(dataDir, 'sandboxes'), { recursive: true, mode: 0o711 })
  writeFileSync(file, `${id}\n`, { mode: 0o600 })
  return id
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // The first start of this data directory.
    return undefined
  }
}
