import type { LaunchStep } from './launch-step.ts'
import { launcherProgram } from './launcher-program.ts'

/** A launcher that does everything itself, by calls to the kernel: it starts no program but the one it becomes. */
export const perlCommand = (canMount: boolean): string[] => ['perl', '-e', launcherProgram, canMount ? 'apart' : '']

/**
 * The length of what is said comes first, so that none of it runs before all of it is there. Words end with a zero byte,
 * which no path and no argument can have: one inside a word would be read as the next step.
 */
export function writeFrame(steps: readonly LaunchStep[]): string {
  const words = steps.map(wordsOf).flatMap((step) => [String(step.length), ...step])
  if (words.some((word) => word.includes('\0'))) throw new TypeError('a word of a step has a zero byte')
  const text = words.join('\0')
  return `${Buffer.byteLength(text)}\n${text}`
}

function wordsOf(step: LaunchStep): readonly string[] {
  switch (step.do) {
    case 'view':
      return ['view', step.at, String(step.folders.length), ...step.folders, ...step.files]
    case 'bind':
      return ['bind', step.from, step.at]
    case 'mountDisk':
      return ['disk', step.image, step.at]
    case 'fillDisk':
      return ['fill', step.disk, writeUid(step.owner)]
    case 'run':
      return ['run', ['set -e', ...step.lines].join('\n')]
    case 'join':
      return ['join', step.file]
    case 'become':
      return ['become', writeUid(step.uid), ...step.command]
  }
}

const writeUid = (uid: number | undefined) => (uid === undefined ? '' : String(uid))
