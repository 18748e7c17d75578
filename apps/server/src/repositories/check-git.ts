import { GitError, requireGit } from '../git/index.ts'
import type { HealthCheck } from '../kernel/capability.ts'

/** Without git there are no repositories; the rest of the platform goes on. */
export const gitCheck: HealthCheck = {
  name: 'git',
  required: false,
  async read() {
    try {
      const { text } = await requireGit()
      return { status: 'ok', detail: `git ${text}` }
    } catch (error) {
      const detail = GitError.isInstance(error) ? error.message : 'git cannot be started.'
      return { status: 'missing', detail, next: 'Install git 2.38 or newer.' }
    }
  },
}
