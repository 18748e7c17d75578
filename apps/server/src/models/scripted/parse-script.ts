/** One line of a script: what the model does next. */
export type Step =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'think'; readonly text: string }
  | { readonly kind: 'look'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'ask'; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: 'todo'; readonly items: readonly string[] }
  | { readonly kind: 'use'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'fail'; readonly status: number }
  | { readonly kind: 'finish'; readonly text: string }

const fence = /^```script[^\S\n]*\n([\s\S]*?)^```/m
const longestWaitMs = 60_000

/** How a script is written, for whoever wrote one that is not understood. */
export const scriptSyntax = `say <text>
think <text>
look [folder]
read <path>
write <path>: <text>        (\\n for a new line; or lines below that start with |)
edit <path>: <old> => <new>
run <command>
ask <question> | <option> | <option>
todo <item> | <item>
use <tool> <JSON>
wait <number>ms|s
fail <HTTP status>
finish [text]`

/** The script in a prompt: a fenced block marked `script`. Undefined when there is none. */
export function findScript(prompt: string): string | undefined {
  return fence.exec(prompt)?.[1]
}

/** What a prompt says besides its script. */
export function withoutScript(prompt: string): string {
  return prompt.replace(fence, '').trim()
}

/** Reads a script. A line that is not understood becomes what the model says, and ends it. */
export function parseScript(script: string): Step[] {
  const steps: Step[] = []
  for (const { text, number } of joinLines(script)) {
    const step = parseLine(text)
    if (step === undefined) return [...steps, { kind: 'finish', text: explain(text, number) }]
    steps.push(step)
  }
  return steps
}

/** A line that starts with `|` goes on with the text of the line above. */
function joinLines(script: string): { text: string; number: number }[] {
  const lines: { text: string; number: number }[] = []
  for (const [index, raw] of script.split('\n').entries()) {
    const above = lines.at(-1)
    const more = /^\s*\|\s?(.*)$/.exec(raw)
    if (more && above) above.text = `${above.text.replace(/:\s*$/, ': ')}${more[1]}\\n`
    else if (raw.trim() !== '' && !raw.trim().startsWith('#')) lines.push({ text: raw.trim(), number: index + 1 })
  }
  return lines
}

function parseLine(line: string): Step | undefined {
  const [, verb = '', rest = ''] = /^(\w+)\s*([\s\S]*)$/.exec(line) ?? []
  const read = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  return read?.(rest)
}

const verbs: Record<string, (rest: string) => Step | undefined> = {
  say: (text) => ({ kind: 'say', text: readEscapes(text) }),
  think: (text) => ({ kind: 'think', text: readEscapes(text) }),
  look: (path) => ({ kind: 'look', path: path || '.' }),
  read: (path) => (path ? { kind: 'read', path } : undefined),
  write: (rest) => {
    const parts = splitAt(rest, ':')
    return parts && { kind: 'write', path: parts[0], content: readEscapes(parts[1]) }
  },
  edit: (rest) => {
    const parts = splitAt(rest, ':')
    const change = parts && splitAt(parts[1], '=>')
    return change && parts && { kind: 'edit', path: parts[0], from: readEscapes(change[0]), to: readEscapes(change[1]) }
  },
  run: (command) => (command ? { kind: 'run', command } : undefined),
  ask: (rest) => {
    const [question = '', ...options] = splitList(rest)
    return question ? { kind: 'ask', question, options: options.length > 0 ? options : ['Yes', 'No'] } : undefined
  },
  todo: (rest) => ({ kind: 'todo', items: splitList(rest) }),
  use: (rest) => {
    const [, tool = '', json = '{}'] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? []
    const input = parseObject(json || '{}')
    return tool && input ? { kind: 'use', tool, input } : undefined
  },
  wait: (rest) => {
    const [, amount, unit] = /^(\d{1,6})\s*(ms|s)$/.exec(rest) ?? []
    if (amount === undefined) return undefined
    return { kind: 'wait', waitMs: Math.min(Number(amount) * (unit === 's' ? 1_000 : 1), longestWaitMs) }
  },
  fail: (rest) => (/^[45]\d\d$/.test(rest) ? { kind: 'fail', status: Number(rest) } : undefined),
  finish: (text) => ({ kind: 'finish', text: readEscapes(text) }),
}

function splitAt(text: string, mark: string): [string, string] | undefined {
  const at = text.indexOf(mark)
  if (at < 1) return undefined
  return [text.slice(0, at).trim(), text.slice(at + mark.length).trim()]
}

function splitList(text: string): string[] {
  return text
    .split('|')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function readEscapes(text: string): string {
  return text.replace(/\\([nt\\])/g, (_match, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? letter)
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    // Not JSON: the caller tells the writer of the script which line it is.
    return undefined
  }
}

function explain(line: string, number: number): string {
  return `I am the scripted model and do not understand line ${number} of the script: \`${line}\`\n\nA line is one of:\n\n${scriptSyntax}`
}
