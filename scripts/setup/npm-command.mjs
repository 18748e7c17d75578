import { basename } from 'node:path'

/** @returns {[command: string, args: string[]]} the npm that started us, else the one on the PATH */
export function npmCommand() {
  const cli = process.env.npm_execpath
  return cli && basename(cli).startsWith('npm-cli') ? [process.execPath, [cli]] : ['npm', []]
}
