import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './repository.ts'

// Each hook says who it is on descriptor 3, which git inherits from us, and does what the answer says. When nobody
// answers, the push is refused.
const obey = `
while IFS= read -r line <&3; do
  case "$line" in
    'say '*) printf '%s\\n' "\${line#say }" >&2 ;;
    accept) exit 0 ;;
    *) exit 1 ;;
  esac
done
printf 'The server stopped while it checked this push. Try again.\\n' >&2
exit 1
`

const scripts: Record<string, string> = {
  'pre-receive': `#!/bin/sh
{
  printf 'pre-receive\\n%s\\n%s\\n%s\\n' "$GIT_OBJECT_DIRECTORY" "$GIT_ALTERNATE_OBJECT_DIRECTORIES" "$GIT_QUARANTINE_PATH"
  while IFS= read -r line; do printf '%s\\n' "$line"; done
  printf 'end\\n'
} >&3
${obey}`,
  update: `#!/bin/sh
printf 'update %s\\n' "$1" >&3
${obey}`,
  'post-receive': `#!/bin/sh
{
  printf 'post-receive\\n'
  while IFS= read -r line; do printf '%s\\n' "$line"; done
  printf 'end\\n'
} >&3
${obey}`,
}

const version = createHash('sha256').update(JSON.stringify(scripts)).digest('hex').slice(0, 12)

/** The folder with our hooks inside the repository, named by its content: servers of two versions may share one. */
export async function ensureHooks(repository: Repository): Promise<string> {
  const folder = join(repository.path, `svc-hooks-${version}`)
  if (!existsSync(folder)) await writeHooks(folder)
  return folder
}

async function writeHooks(folder: string): Promise<void> {
  const draft = `${folder}.${randomBytes(4).toString('hex')}`
  await mkdir(draft)
  for (const [name, script] of Object.entries(scripts)) await writeFile(join(draft, name), script, { mode: 0o755 })
  try {
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Another process was first; its folder has the same content.
    if (!existsSync(folder)) throw error
  }
}
