import { constants } from 'node:fs'
import { copyFile, link, unlink } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { refuse } from '../http/reply.ts'
import { isCode, type OpenFolder } from './open-inside.ts'

/** The last part of whatever a client calls a file; folders in the name are not taken. */
export function baseNameOf(filename: string): string {
  const name = basename(filename.replaceAll('\\', '/'))
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) {
    throw refuse(400, 'bad_filename', 'A file name is missing or cannot be used.')
  }
  return name
}

/** Moves a finished file into a folder under a name that is free: nothing is ever overwritten. Answers with its path. */
export async function placeFile(source: string, folder: OpenFolder, name: string): Promise<string> {
  for (let attempt = 0; attempt < 10_000; attempt += 1) {
    const candidate = attempt === 0 ? name : withSuffix(name, attempt)
    try {
      await moveNew(source, folder.at(candidate))
      return join(folder.realPath, candidate)
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
    }
  }
  throw refuse(409, 'exists', 'There are too many files of this name already.')
}

async function moveNew(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    // Another disk, or one without hard links.
    if (!isCode(error, 'EXDEV') && !isCode(error, 'EPERM')) throw error
    await copyFile(source, target, constants.COPYFILE_EXCL)
  }
  await unlink(source)
}

function withSuffix(name: string, number: number): string {
  const extension = extname(name)
  return `${name.slice(0, name.length - extension.length)}-${number}${extension}`
}
