import { inRepository, root } from '../setup/repository.mjs'
import { runCommand } from '../setup/run-command.mjs'

/** @typedef {import('./run-check.mjs').Check} Check */

/**
 * What every change must pass besides its tests. Each counts as one in the summary of `npm test`.
 *
 * @type {Check[]}
 */
export const sourceChecks = [
  { name: 'lint', run: () => runTool('@biomejs/biome/bin/biome', ['check', '.']) },
  { name: 'types', run: () => runTool('typescript-checker/bin/tsc', ['-p', 'tsconfig.json', '--pretty', 'false']) },
  {
    name: 'types of the dashboard',
    run: () => runTool('typescript-checker/bin/tsc', ['-p', 'apps/web', '--pretty', 'false']),
  },
  {
    name: 'types of scripts',
    run: () => runTool('typescript-checker/bin/tsc', ['-p', 'scripts', '--pretty', 'false']),
  },
  { name: 'dependency direction', run: () => runNode(inRepository('scripts', 'check-dependencies.mjs'), []) },
]

/**
 * @param {string} bin below node_modules
 * @param {string[]} args
 */
const runTool = (bin, args) => runNode(inRepository('node_modules', ...bin.split('/')), args)

/**
 * @param {string} script
 * @param {string[]} args
 */
const runNode = (script, args) => runCommand(process.execPath, [script, ...args], { cwd: root })
