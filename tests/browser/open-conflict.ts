import { join } from 'node:path'
import type { SvcClient } from '@svc/sdk'
import { commitFiles, openRepository, resolveRef, updateRefs } from '../../apps/server/src/git/index.ts'

/** A change request whose branch and the default branch changed the same line since they parted; its id. */
export async function openConflict(svc: SvcClient, dataDir: string, projectId: string): Promise<string> {
  const repository = openRepository(join(dataDir, 'repositories', `${projectId}.git`))
  const author = { name: 'Test', email: 'test@example.com' }
  const write = async (branch: string, expectedParent: string, title: string) => {
    const changes = [{ path: 'README.md', content: `# ${title}\n\nThe rest stays.\n` }]
    const { commit } = await commitFiles(repository, { branch, expectedParent, changes, message: title, author })
    return commit
  }
  const parted = await write('main', await resolveRef(repository, 'main'), 'As it was')
  await updateRefs(repository, [{ ref: 'refs/heads/other', oldSha: null, newSha: parted }], 'branch')
  await write('other', parted, 'As the request has it')
  await write('main', parted, 'As main has it')
  const { changeRequests } = svc.project(projectId)
  return (await changeRequests.open({ title: 'Another title', head_ref: 'other' })).cr_id
}
