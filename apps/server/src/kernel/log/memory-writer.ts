import type { LineWriter } from './line-writer.ts'

/** Keeps lines in memory, for tests that read what was logged. */
export function createMemoryWriter(): LineWriter & { readonly lines: string[] } {
  const lines: string[] = []
  return { lines, write: (line) => void lines.push(line), drain: () => undefined, flush: () => undefined }
}
