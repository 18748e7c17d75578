import type { Step } from './parse-script.ts'

export const keepIt = 'Keep it'
export const removeIt = 'Remove it'

const introduction =
  'I am the scripted model: a fixed plan, no intelligence. I look around, write a file, run it, ask a question and ' +
  'finish. A fenced block marked `script` in your prompt makes me do something else.'

/** What the scripted model does when a prompt brings no script. The last answer decides how it ends. */
export function defaultPlan(prompt: string, answers: readonly string[]): Step[] {
  const request = firstLine(prompt)
  const wantsRemoval = answers.some((answer) => answer.includes(removeIt))
  return [
    { kind: 'say', text: introduction },
    { kind: 'look', path: '.' },
    { kind: 'say', text: 'Now I write a small program.' },
    { kind: 'write', path: 'hello.sh', content: helloProgram(request) },
    { kind: 'run', command: 'sh hello.sh' },
    { kind: 'say', text: 'It printed: {result}' },
    { kind: 'ask', question: 'Shall hello.sh stay in the repository?', options: [keepIt, removeIt] },
    ...(wantsRemoval ? [{ kind: 'run', command: 'rm hello.sh' } as const] : []),
    {
      kind: 'finish',
      text: wantsRemoval ? 'Done: hello.sh is gone again.' : 'Done: hello.sh is written and ran once.',
    },
  ]
}

function helloProgram(request: string): string {
  const quoted = request.replaceAll("'", String.raw`'\''`)
  return `# Written by the scripted model.\necho 'Hello from svc. You asked: ${quoted}'\n`
}

/** A short name for a conversation: the first line of what was asked. */
export function firstLine(prompt: string): string {
  const line =
    prompt
      .split('\n')
      .find((one) => one.trim() !== '')
      ?.trim() ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
