/**
 * The last segment of a path, or the whole path when that segment is empty.
 *
 * @example
 * getFilename('/a/b.txt') // 'b.txt'
 * getFilename('a/') // 'a/'
 */
export function getFilename(path: string): string
export function getFilename(path: string | null | undefined): string | undefined
export function getFilename(path: string | null | undefined): string | undefined {
  if (typeof path !== 'string') return undefined
  return path.slice(path.lastIndexOf('/') + 1) || path
}

/**
 * The text before the last slash, `/` for a path at the root, undefined without a slash.
 *
 * @example
 * getDirectory('/a/b.txt') // '/a'
 * getDirectory('a.txt') // undefined
 */
export function getDirectory(path: string | null | undefined): string | undefined {
  if (typeof path !== 'string') return undefined
  const slash = path.lastIndexOf('/')
  return slash < 0 ? undefined : path.slice(0, slash) || '/'
}

/**
 * A path as seen from the project directory; a path outside it comes back unchanged.
 *
 * @example
 * relativizePath('/workspace/a/b', '/workspace') // 'a/b'
 * relativizePath('/etc/x', '/workspace') // '/etc/x'
 */
export function relativizePath(path: string, projectDir?: string | null): string {
  if (typeof path !== 'string' || typeof projectDir !== 'string' || projectDir === '') return path
  if (path === projectDir) return ''
  const prefix = projectDir.endsWith('/') ? projectDir : `${projectDir}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

/**
 * The file name followed by the name of the folder it is in.
 *
 * @example
 * getFileWithDir('/w/src/a.ts') // 'a.ts /src'
 * getFileWithDir('a.ts') // 'a.ts'
 */
export function getFileWithDir(path: string): string
export function getFileWithDir(path: string | null | undefined): string | undefined
export function getFileWithDir(path: string | null | undefined): string | undefined {
  const file = getFilename(path)
  const parent = getFilename(getDirectory(path))
  return file !== undefined && parent && parent !== '/' ? `${file} /${parent}` : file
}

/**
 * Drops every slash at the end of a text, in linear time.
 *
 * @example
 * stripTrailingSlashes('https://host/v1//') // 'https://host/v1'
 */
export function stripTrailingSlashes(text: string): string {
  if (typeof text !== 'string') return ''
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}
