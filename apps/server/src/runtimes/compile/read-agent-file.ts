import { posix } from 'node:path'
import { formatIssues, type PlainMap, validateAgentFile } from '@svc/manifest'
import { GitError, type Repository, readFile } from '../../git/index.ts'

export interface AgentFile {
  readonly path: string
  readonly frontMatter: PlainMap
  /** The prompt. */
  readonly body: string
}

interface AgentFilePlace {
  readonly commit: string
  readonly configDir: string
  readonly name: string
}

const folders = ['agents', 'agent']
const maxFileBytes = 256 * 1024

/** How an agent behaves, at a commit. An agent without a file is legal; one whose file is wrong is an error. */
export async function readAgentFile(
  git: Repository,
  { commit, configDir, name }: AgentFilePlace,
): Promise<AgentFile | undefined> {
  for (const folder of folders) {
    const path = posix.join(configDir, folder, `${name}.md`)
    const file = await readFile(git, { ref: commit, path, maxBytes: maxFileBytes }).catch(ignoreMissing)
    if (!file) continue
    if (file.text === null) throw new Error(`${path} is no text.`)
    const { valid, frontMatter, body, issues } = validateAgentFile(file.text)
    if (!valid || frontMatter === null)
      throw new Error(`${path} cannot be used:\n${formatIssues(issues, { color: false })}`)
    return { path, frontMatter, body }
  }
  return undefined
}

function ignoreMissing(error: unknown): undefined {
  if (GitError.isInstance(error, 'path_not_found')) return undefined
  throw error
}
