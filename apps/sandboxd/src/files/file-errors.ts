import { Refusal, refuse } from '../http/reply.ts'

const answers: Readonly<Record<string, readonly [number, string, string]>> = {
  ENOENT: [404, 'not_found', 'There is no such file or folder.'],
  ENOTDIR: [400, 'not_a_directory', 'This is not a directory.'],
  EISDIR: [400, 'is_a_directory', 'This is a directory.'],
  ENAMETOOLONG: [400, 'bad_path', 'This name is too long.'],
  EINVAL: [400, 'bad_path', 'This cannot be done with this path.'],
  ENXIO: [400, 'not_a_file', 'This is not a regular file.'],
  ELOOP: [403, 'access_denied', 'Access denied: links lead in a circle.'],
  EACCES: [403, 'access_denied', 'Access denied: this file or folder is closed to the agent.'],
  EPERM: [403, 'access_denied', 'Access denied: this cannot be changed.'],
  EROFS: [403, 'access_denied', 'Access denied: this part of the sandbox is read-only.'],
  EEXIST: [409, 'exists', 'There is something of this name already.'],
  ENOTEMPTY: [409, 'exists', 'There is a folder of this name already.'],
  EXDEV: [409, 'other_disk', 'A folder cannot be moved to another disk: copy it.'],
  ENOSPC: [507, 'disk_full', 'The disk of this sandbox is full: remove something.'],
  EDQUOT: [507, 'disk_full', 'The disk of this sandbox is full: remove something.'],
}

/** Does the work; what the file system refuses becomes an answer people can act on. */
export async function withFileErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof Error)) throw error
    const [status, code, sentence] = answers[(error as NodeJS.ErrnoException).code ?? ''] ?? []
    if (status === undefined || code === undefined || sentence === undefined) throw error
    throw refuse(status, code, sentence)
  }
}
