import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, rm, unlink } from 'node:fs/promises'
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
  let ready = source
  let attempt = 0
  while (attempt < 10_000) {
    const candidate = attempt === 0 ? name : withSuffix(name, attempt)
    try {
      await link(ready, folder.at(candidate))
      await unlink(ready)
      return join(folder.realPath, candidate)
    } catch (error) {
      if (isCode(error, 'EXDEV') && ready === source) ready = await bringToDisk(source, folder)
      else if (isCode(error, 'EEXIST')) attempt += 1
      else throw error
    }
  }
  throw refuse(409, 'exists', 'There are too many files of this name already.')
}

/** From another disk: copied beside its place first, so that the name appears with the whole file or not at all. */
async function bringToDisk(source: string, folder: OpenFolder): Promise<string> {
  const copy = folder.at(`.svc-upload-${randomUUID()}`)
  try {
    await copyFile(source, copy, constants.COPYFILE_EXCL)
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
  await unlink(source)
  return copy
}

function withSuffix(name: string, number: number): string {
  const extension = extname(name)
  return `${name.slice(0, name.length - extension.length)}-${number}${extension}`
}
