import { randomUUID } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const homeFile = 'home-id'

/** The name of this data directory, written once. By it a later start knows which attempts were its own. */
export async function readHome(folder: string): Promise<string> {
  const path = join(folder, homeFile)
  const known = await readFile(path, 'utf8').catch(() => '')
  if (known !== '') return known
  const id = randomUUID()
  const draft = `${path}.${id}`
  const file = await open(draft, 'w', 0o600)
  await file.writeFile(id)
  await file.sync()
  await file.close()
  await rename(draft, path)
  return readFile(path, 'utf8')
}
