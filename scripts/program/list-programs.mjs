import { existsSync, readdirSync } from 'node:fs'
import { inRepository } from '../setup/repository.mjs'

/**
 * @param {string} folder
 * @returns {string[]} the names of the programs directly in it
 */
export function listPrograms(folder) {
  if (!existsSync(inRepository(folder))) return []
  return readdirSync(inRepository(folder))
    .filter((name) => name.endsWith('.ts') && !/\.(test|d)\.ts$/.test(name))
    .map((name) => name.slice(0, -3))
    .sort()
}

/**
 * @param {string} folder
 * @param {string | undefined} name
 */
export function requireProgram(folder, name) {
  const known = listPrograms(folder)
  if (name !== undefined && known.includes(name)) return inRepository(folder, `${name}.ts`)
  const choice = known.length > 0 ? `there are: ${known.join(', ')}` : 'there are none yet'
  throw new Error(`${name === undefined ? 'Say which one' : `${folder}/${name}.ts does not exist`}; ${choice}.`)
}
