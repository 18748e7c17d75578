import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { MachineFile } from './local/index.ts'

/**
 * Machines see folders of the installation, and a rebuild or an upgrade would change those under the machines that run.
 * So they get a copy as it was when the first machine of this server needed it, named after its content. Machines end
 * with their server, so a copy that another server left is nobody's.
 */
export function createFolderKeeper(place: string): (files: readonly MachineFile[]) => MachineFile[] {
  const kept = new Map<string, string>()
  const keep = (folder: string) => {
    const copy = kept.get(folder) ?? copyFolder(folder, place)
    kept.set(folder, copy)
    return copy
  }
  return (files) => {
    const isFirst = kept.size === 0
    const all = files.map((file) => (file.isBuiltInPlace ? { ...file, hostPath: keep(file.hostPath) } : file))
    if (isFirst) removeOthers(place, [...kept.values()])
    return all
  }
}

function copyFolder(folder: string, place: string): string {
  const copy = join(place, hashFolder(folder))
  if (existsSync(copy)) return copy
  mkdirSync(place, { recursive: true, mode: 0o711 })
  const draft = `${copy}.${process.pid}`
  cpSync(folder, draft, { recursive: true, dereference: true })
  openToAll(draft)
  try {
    renameSync(draft, copy)
  } catch (error) {
    // Whoever was faster has made the same.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}

/** Machines run as users of their own, whatever the mask of whoever built this was. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const path of listPaths(folder)) {
    const { mode } = statSync(join(folder, path))
    chmodSync(join(folder, path), (mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}

function hashFolder(folder: string): string {
  const hash = createHash('sha256')
  for (const path of listPaths(folder)) {
    const whole = join(folder, path)
    const { mode } = statSync(whole)
    hash.update(`${path}\0${(mode & 0o111) === 0 ? '' : 'x'}\0`)
    if (statSync(whole).isFile()) hash.update(createHash('sha256').update(readFileSync(whole)).digest())
  }
  return hash.digest('hex').slice(0, 32)
}

const listPaths = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

function removeOthers(place: string, copies: readonly string[]): void {
  if (!existsSync(place)) return
  for (const name of readdirSync(place)) {
    if (!copies.includes(join(place, name))) rmSync(join(place, name), { recursive: true, force: true })
  }
}
