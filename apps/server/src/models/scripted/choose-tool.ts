import type { ChatTool } from './chat-request.ts'
import type { Step } from './parse-script.ts'

export interface ToolUse {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The offered tool that does a step, with its input in the words of that tool. Undefined when none can. */
export function chooseTool(step: Step, offered: readonly ChatTool[]): ToolUse | undefined {
  const tools = new Map(offered.map((tool) => [tool.function.name.toLowerCase(), tool]))
  const find = (...names: string[]) => names.map((name) => tools.get(name)).find((tool) => tool !== undefined)
  const shell = (command: string, description: string) => {
    const tool = find('bash', 'shell')
    return tool && use(tool, { command, ...(accepts(tool, 'description') ? { description } : {}) })
  }

  switch (step.kind) {
    case 'look': {
      const glob = find('glob')
      if (glob) return use(glob, { pattern: '*', ...(step.path === '.' ? {} : { path: step.path }) })
      const list = find('ls', 'list')
      return list ? use(list, { path: step.path }) : shell(`ls -la ${quote(step.path)}`, 'Look around')
    }
    case 'read': {
      const tool = find('read')
      return tool ? use(tool, { [pathName(tool)]: step.path }) : shell(`cat ${quote(step.path)}`, 'Read a file')
    }
    case 'write': {
      const tool = find('write')
      if (tool) return use(tool, { [pathName(tool)]: step.path, content: step.content })
      return shell(`printf '%s' ${quote(step.content)} > ${quote(step.path)}`, 'Write a file')
    }
    case 'edit': {
      const tool = find('edit')
      return tool && use(tool, editInput(tool, step.path, step.from, step.to))
    }
    case 'run':
      return shell(step.command, step.command.slice(0, 60))
    case 'ask': {
      const tool = find('question')
      return tool && use(tool, askInput(step.question, step.options))
    }
    case 'todo': {
      const tool = find('todowrite')
      const todos = step.items.map((content) => ({ content, status: 'pending', priority: 'medium' }))
      return tool && use(tool, { todos })
    }
    case 'use': {
      const tool = offered.find(({ function: { name } }) => name === step.tool)
      return tool && use(tool, step.input)
    }
    default:
      return undefined
  }
}

function use(tool: ChatTool, input: Record<string, unknown>): ToolUse {
  return { name: tool.function.name, input }
}

function accepts(tool: ChatTool, property: string): boolean {
  const { properties } = tool.function.parameters ?? {}
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, property)
}

function pathName(tool: ChatTool): string {
  return ['filePath', 'file_path', 'path'].find((name) => accepts(tool, name)) ?? 'path'
}

function editInput(tool: ChatTool, path: string, from: string, to: string): Record<string, unknown> {
  const place = { [pathName(tool)]: path }
  if (accepts(tool, 'edits')) return { ...place, edits: [{ oldText: from, newText: to }] }
  return accepts(tool, 'oldText')
    ? { ...place, oldText: from, newText: to }
    : { ...place, oldString: from, newString: to }
}

function askInput(question: string, options: readonly string[]): Record<string, unknown> {
  const header = question.length > 30 ? `${question.slice(0, 29)}…` : question
  return { questions: [{ question, header, options: options.map((label) => ({ label, description: label })) }] }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
