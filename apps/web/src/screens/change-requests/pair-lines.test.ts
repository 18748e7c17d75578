import { expect, test } from 'vitest'
import { pairLines } from './pair-lines.ts'
import { readPatch } from './read-patch.ts'

const patch = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,4 +1,4 @@
 same
-old one
-old two
+new one
 end
@@ -10,1 +10,2 @@
+only new
`

test('removed lines stand beside what took their place, and the rest beside nothing', () => {
  const rows = pairLines(readPatch(patch)[0]?.lines ?? []).map(({ left, right }) => [left?.text, right?.text])
  expect(rows).toEqual([
    ['@@ -1,4 +1,4 @@', '@@ -1,4 +1,4 @@'],
    ['same', 'same'],
    ['old one', 'new one'],
    ['old two', undefined],
    ['end', 'end'],
    ['@@ -10,1 +10,2 @@', '@@ -10,1 +10,2 @@'],
    [undefined, 'only new'],
  ])
})

test('lines keep the numbers they have in their own file', () => {
  const [, same, changed] = pairLines(readPatch(patch)[0]?.lines ?? [])
  expect([same?.left?.oldLine, same?.right?.newLine]).toEqual([1, 1])
  expect([changed?.left?.oldLine, changed?.right?.newLine]).toEqual([2, 2])
})
