import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

export interface FileChange {
  readonly file: string
  readonly event: 'add' | 'change' | 'unlink'
}

export interface FileWatch {
  /** Tells of every change from now on, in batches; the answer ends it. The last one to end stops the watching. */
  subscribe(onChanges: (changes: readonly FileChange[]) => void): () => void
}

const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__'])
/** The kernel's watches are few and shared; what lies deeper than these folders is not watched. */
const maxFolders = 2_000
const batchMs = 100

/** One watch of the workspace for everybody who asks, folder by folder, without what tools fill by the thousand. */
export function createFileWatch(workspace: string): FileWatch {
  const listeners = new Set<(changes: readonly FileChange[]) => void>()
  let active: { close(): void } | undefined

  return {
    subscribe(onChanges) {
      listeners.add(onChanges)
      active ??= watchTree(workspace, (changes) => {
        for (const listener of listeners) listener(changes)
      })
      return () => {
        listeners.delete(onChanges)
        if (listeners.size > 0) return
        active?.close()
        active = undefined
      }
    },
  }
}

function watchTree(root: string, onChanges: (changes: readonly FileChange[]) => void) {
  const folders = new Map<string, { watcher: FSWatcher; names: Set<string> }>()
  const pending = new Map<string, FileChange['event']>()
  let timer: NodeJS.Timeout | undefined

  const note = (path: string, event: FileChange['event']) => {
    const before = pending.get(path)
    pending.set(path, before === 'add' && event === 'change' ? 'add' : event)
    timer ??= setTimeout(() => {
      timer = undefined
      const changes = [...pending].map(([file, kind]) => ({ file: relative(root, file), event: kind }))
      pending.clear()
      onChanges(changes)
    }, batchMs)
  }

  const leave = (folder: string) => {
    for (const [path, entry] of folders) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue
      entry.watcher.close()
      folders.delete(path)
      for (const name of entry.names) note(join(path, name), 'unlink')
    }
  }

  const enter = (folder: string, isNew: boolean) => {
    if (folders.size >= maxFolders || folders.has(folder)) return
    try {
      const names = new Set<string>()
      const watcher = watch(folder, { persistent: false }, (_kind, name) => {
        if (name !== null) look(folder, name)
      })
      watcher.on('error', () => leave(folder))
      folders.set(folder, { watcher, names })
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) {
          if (!skipped.has(entry.name)) enter(join(folder, entry.name), isNew)
          continue
        }
        names.add(entry.name)
        if (isNew) note(join(folder, entry.name), 'add')
      }
    } catch {
      // Gone again before it could be watched, or the kernel has no watch left: changes there are not told.
    }
  }

  const look = (folder: string, name: string) => {
    const entry = folders.get(folder)
    if (!entry || skipped.has(name)) return
    const path = join(folder, name)
    const kind = kindOf(path)
    if (kind === 'folder') {
      enter(path, true)
      return
    }
    if (kind === 'none') {
      if (entry.names.delete(name)) note(path, 'unlink')
      else leave(path)
      return
    }
    note(path, entry.names.has(name) ? 'change' : 'add')
    entry.names.add(name)
  }

  enter(root, false)
  return {
    close() {
      clearTimeout(timer)
      for (const { watcher } of folders.values()) watcher.close()
      folders.clear()
    },
  }
}

function kindOf(path: string): 'folder' | 'file' | 'none' {
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    // Removed, which is the very thing to tell.
    return 'none'
  }
}
