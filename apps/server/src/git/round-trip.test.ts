import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { commitFiles, diffCommit, type FileChange, readFile } from './index.ts'
import { pathFromBytes, pathToBytes } from './quote-path.ts'
import { ada, makeRepository } from './testing/make-repository.ts'
import { tryClient } from './testing/run-client.ts'

const isLong = process.env.SVC_TEST_LONG === '1'
if (isLong) vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })
const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)

describe('names', () => {
  test('every name of bytes comes back from its string as the same bytes', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((array) => Buffer.from(array))
    const quoted = fc.string({ maxLength: 20 }).map((text) => Buffer.from(`"${text}"`))
    const check = (name: Buffer) => pathToBytes(pathFromBytes(name)).equals(name)
    fc.assert(fc.property(fc.oneof(bytes, quoted), check), { seed, numRuns: 2000 })
  })

  test('no string at all makes the reader of names fail or loop', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => pathToBytes(`"${text}"`).length <= Buffer.byteLength(text)),
      { seed, numRuns: 2000 },
    )
  })
})

describe('any change', () => {
  test('is read back as written, and its patch is the one git prints, file by file', async () => {
    const name = fc.constantFrom('a', 'b.txt', 'dir/c', 'dir/d e', 'ü/ß.md', 'x\ty', 'q"uote', 'dir/deep/f')
    const line = fc.constantFrom(
      'one',
      'two',
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '',
      '\\ No newline',
    )
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))
    const content = fc.oneof(
      text,
      fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array)),
    )
    const change = fc.record({ path: name, content: fc.oneof({ weight: 4, arbitrary: content }, fc.constant(null)) })
    const changes = fc.uniqueArray(change, { selector: ({ path }) => path, minLength: 1, maxLength: 6 })
    const { repository, commit } = await makeRepository()
    let tip = commit
    await fc.assert(
      fc.asyncProperty(changes, async (edits: FileChange[]) => {
        const made = await commitFiles(repository, {
          branch: 'main',
          expectedParent: tip,
          changes: edits,
          message: 'x',
          author: ada,
        })
        for (const { path, content: written } of edits) {
          const read = await readFile(repository, { ref: made.commit, path }).catch(() => null)
          expect(read?.content ?? null).toEqual(written === null ? null : Buffer.from(written))
        }
        if (!made.isChanged) return
        const diff = await diffCommit(repository, made.commit)
        const args = ['diff-tree', '-p', '-C', '-l1000', '--full-index', '--no-commit-id', tip, made.commit]
        const { stdout } = await tryClient(repository.path, ['-c', 'core.quotePath=false', ...args])
        expect(diff.patch).toBe(stdout)
        expect(diff.files.every(({ patch }) => patch?.startsWith('diff --git '))).toBe(true)
        tip = made.commit
      }),
      { seed, numRuns: isLong ? 200 : 20, endOnFailure: true },
    )
  })
})
