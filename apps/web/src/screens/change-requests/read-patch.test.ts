import { expect, test } from 'vitest'
import { readPatch } from './read-patch.ts'

test('names in quotes, new names, modes and files without text are read as git writes them', () => {
  const patch = `diff --git "a/\\303\\244 b.txt" "b/\\303\\244 b.txt"
index 1..2 100644
--- "a/\\303\\244 b.txt"
+++ "b/\\303\\244 b.txt"
@@ -1 +1 @@
-old
+new
diff --git a/one.sh b/two.sh
old mode 100644
new mode 100755
similarity index 100%
rename from one.sh
rename to two.sh
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
--- not a heading
`
  const files = readPatch(patch).map(({ path, note, added, removed }) => ({ path, note, added, removed }))
  expect(files).toEqual([
    { path: 'ä b.txt', note: undefined, added: 1, removed: 1 },
    { path: 'two.sh', note: 'mode 100755, was one.sh', added: 0, removed: 0 },
    { path: 'logo.png', note: 'new file, not text', added: 0, removed: 0 },
    { path: 'gone', note: 'deleted', added: 0, removed: 1 },
  ])
})
