export interface Entry {
  readonly name: string
  readonly path: string
  readonly isFolder: boolean
  readonly sizeBytes: number | null
}

interface File {
  readonly path: string
  readonly size: number | null
}

/** What lies directly in a folder, folders first. The server lists every file below it. */
export function listFolder(files: readonly File[], folder: string): Entry[] {
  const prefix = folder === '' ? '' : `${folder}/`
  const entries = new Map<string, Entry>()
  for (const { path, size } of files) {
    if (!path.startsWith(prefix)) continue
    const [name = '', ...below] = path.slice(prefix.length).split('/')
    const isFolder = below.length > 0
    if (name !== '') entries.set(name, { name, path: prefix + name, isFolder, sizeBytes: isFolder ? null : size })
  }
  return [...entries.values()].sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name))
}

/** `a/b/c` as the folders on the way to it. */
export function listSteps(path: string): { name: string; path: string }[] {
  const names = path.split('/').filter(Boolean)
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }))
}
