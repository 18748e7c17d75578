import type { operations } from '@svc/contract'
import { countFiles, GitError, listFiles, readBranch } from '../../git/index.ts'
import { answer, type Call } from '../../kernel/http/index.ts'
import { type Reading, readManifest, toFile } from '../../repositories/index.ts'
import type { Parts } from '../parts.ts'
import { describeConnection, toProjectRecord } from '../project-record.ts'
import { findProject } from '../store/projects.ts'
import { describeVersion } from './describe-version.ts'
import { emptyConfig, readConfig } from './read-config.ts'

type DetailCall = Call<typeof operations.projects.detail>

const shownFiles = 300
const unavailable = { 'x-svc-repo-status': 'unavailable' }

/** A project with what its repository declares. A repository that cannot be read makes it shorter, never fail. */
export async function readDetail(parts: Parts, call: DetailCall) {
  const row = await findProject(parts.kernel.database.db, call.projectId)
  const project = await toProjectRecord(parts, row, call.principal)
  const connection = describeConnection(parts, await parts.repositories.findRepository(call.projectId))
  try {
    const reading = await parts.repositories.openReading(call)
    const content = await readContent(call, reading)
    const body = { project, git_connection: connection, ...content }
    return answer(body, { headers: reading.isStale ? unavailable : {} })
  } catch (error) {
    if (!GitError.isInstance(error)) throw error
    const nothing = { config: emptyConfig, manifest_version: describeVersion(undefined, 'unreadable') }
    const body = { project, git_connection: connection, ...nothing, file_count: 0, files: [] }
    return answer(body, { headers: unavailable })
  }
}

async function readContent(call: DetailCall, reading: Reading) {
  const [canFiles, canAgents, canSkills, canCommands, canCustomize] = await Promise.all([
    call.can('project.file.read'),
    call.can('project.agent.read'),
    call.can('project.skill.read'),
    call.can('project.command.read'),
    call.can('project.customize.read'),
  ])
  const hiddenBy = canCustomize ? undefined : ('restricted' as const)
  const tip = await readBranch(reading.git, reading.defaultBranch)
  if (tip === null) {
    return { config: emptyConfig, manifest_version: describeVersion(undefined, hiddenBy), file_count: 0, files: [] }
  }
  const manifest = await readManifest(reading.git, tip, reading.manifestPath)
  const rights = { manifest: canCustomize, agents: canAgents, skills: canSkills, commands: canCommands }
  const config = await readConfig(reading, tip, manifest, rights)
  const files = canFiles ? await readFiles(reading, tip) : { file_count: 0, files: [] }
  return { config, manifest_version: describeVersion(manifest, hiddenBy), ...files }
}

async function readFiles(reading: Reading, commit: string) {
  return reading.viewer.read(async (hides) => {
    const hiding = hides ? { hides } : {}
    const page = await listFiles(reading.git, { ref: commit, limit: shownFiles, ...hiding })
    const file_count = await countFiles(reading.git, { ref: commit, ...hiding })
    return { file_count, files: page.entries.map(toFile) }
  })
}
