// Fails on a forbidden import or a circle. The rules are in dependencies/rules.mjs.
import { checkTree } from './dependencies/check-tree.mjs'
import { finish } from './setup/finish.mjs'
import { say } from './setup/progress.mjs'

await finish(async () => {
  const { problems, fileCount } = checkTree()
  for (const problem of problems) process.stderr.write(`✗ ${problem}\n`)
  say(`• dependency direction: ${fileCount} files, ${problems.length} problems`)
  return problems.length > 0 ? 1 : 0
})
