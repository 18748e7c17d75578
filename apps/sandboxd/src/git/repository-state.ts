/** Where the checkout stands. `absent`: this session has no repository. */
export interface RepositoryState {
  status: 'absent' | 'pending' | 'ready' | 'failed'
  error: string | undefined
  branch: string | undefined
  commitSha: string | undefined
}
