import { execFile } from 'node:child_process'

const patienceMs = 15_000

/**
 * Runs a command for the sake of finding out whether it works. Never throws.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').ExecFileOptions} [options]
 * @returns {Promise<{ works: boolean, missing: boolean, output: string }>}
 */
export function tryCommand(command, args, options = {}) {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: patienceMs, ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim() || (error?.message ?? '')
      resolve({ works: !error, missing: error?.code === 'ENOENT', output })
    })
  })
}

/** @param {string} text */
export const firstLine = (text) => text.split('\n').find((line) => line.trim()) ?? ''
