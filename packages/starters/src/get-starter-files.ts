import { baseFiles } from './base-files.ts'
import { skillFiles } from './skills/index.ts'
import type { StarterFile } from './starter-file.ts'

export const STARTER_TEMPLATES = ['general', 'minimal'] as const
export type StarterTemplate = (typeof STARTER_TEMPLATES)[number]

/** Each template is a stack of layers; a later layer's file takes the place of an earlier one's. */
const layers: Readonly<Record<StarterTemplate, readonly (readonly StarterFile[])[]>> = {
  minimal: [baseFiles],
  general: [baseFiles, skillFiles],
}

export function isStarterTemplate(name: string): name is StarterTemplate {
  return Object.hasOwn(layers, name)
}

/**
 * The files of a new project's repository, sorted by path.
 *
 * @example getStarterFiles({ projectName: 'Support desk', template: 'minimal' })
 */
export function getStarterFiles(options: {
  projectName: string
  repoFullName?: string
  template?: StarterTemplate
}): StarterFile[] {
  const { projectName, repoFullName = 'your-org/your-repo', template = 'general' } = options
  const values: Record<string, string> = { projectName, repoFullName }
  const files = new Map<string, string>()
  for (const { path, content } of layers[template].flat()) files.set(path, fillPlaceholders(content, values))
  return [...files].map(([path, content]) => ({ path, content })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** `{{name}}` of a known name; anything else, such as `{{ body.text }}` of a trigger, stays as it is. */
function fillPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )
}
