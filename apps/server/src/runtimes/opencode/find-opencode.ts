import { type FoundProgram, findProgram } from '../find-program.ts'

export function opencodePackage(): string {
  return `opencode-linux-${process.arch}`
}

export function findOpencode(): FoundProgram | undefined {
  return findProgram(opencodePackage(), 'bin/opencode')
}

export const installAdvice = `Run \`npm install --include=optional\`; on macOS \`npm install --no-save --os=linux --cpu=${process.arch} ${opencodePackage()}\`, since machines run Linux.`
