import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BootFile } from './boot-config.ts'

export function writeFiles(files: readonly BootFile[]): void {
  for (const file of files) {
    mkdirSync(dirname(file.path), { recursive: true })
    writeFileSync(file.path, file.content, { mode: file.mode ?? 0o644 })
  }
}
