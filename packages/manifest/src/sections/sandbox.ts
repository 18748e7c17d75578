import {
  PLATFORM_TEMPLATE_SLUG,
  TEMPLATE_CEILINGS,
  TEMPLATE_ONLY_KEYS,
  TEMPLATE_SLUG_ADVISED_MAX_CHARS,
} from '../constants.ts'
import { isMap, own, ownList, ownText, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { quote } from '../shape/describe-value.ts'
import { filled, integer, list, record, text } from '../shape/shape.ts'
import { relativePath, slug } from './values.ts'

const UNITS = { cpu: 'cores', memory: 'GiB', disk: 'GiB' } as const

export const sandboxTemplate = record(
  {
    slug: {
      ...slug('Name of the template.'),
      refuse: new Map([
        [PLATFORM_TEMPLATE_SLUG, '"default" is the platform image and cannot be redefined; choose another slug'],
      ]),
    },
    name: text({ about: 'Name shown to people.' }),
    entrypoint: text({ about: 'Command the sandbox starts with.' }),
    image: filled({ about: 'Container image with a tag or digest.' }),
    dockerfile: relativePath('Dockerfile in this repository.'),
    cpu: integer({ min: 1, about: 'CPU cores.' }),
    memory: integer({ min: 1, about: 'Memory in GiB.' }),
    disk: integer({ min: 1, about: 'Disk in GiB.' }),
  },
  {
    name: 'sandboxTemplate',
    required: ['slug'],
    rules: [{ rule: 'one', of: ['image', 'dockerfile'], says: 'must have exactly one of `image` and `dockerfile`' }],
    check: checkTemplate,
  },
)

export const sandbox = record(
  {
    templates: list(sandboxTemplate, { unique: 'slug', about: 'Sandbox templates agents can run in.' }),
    default: filled({ about: 'Slug of the template used when an agent names none.' }),
  },
  {
    name: 'sandbox',
    about: 'Where agents run.',
    rules: [
      {
        rule: 'none',
        of: TEMPLATE_ONLY_KEYS,
        together: true,
        says: 'must stand inside an entry of `sandbox.templates`, not directly under `sandbox`',
      },
    ],
    check: checkDefault,
  },
)

function checkTemplate(template: PlainMap, context: CheckContext): void {
  const name = ownText(template, 'slug') ?? ''
  if (name.length > TEMPLATE_SLUG_ADVISED_MAX_CHARS) {
    context.warn(`is longer than ${TEMPLATE_SLUG_ADVISED_MAX_CHARS} characters; some sandbox providers cut it`, [
      'slug',
    ])
  }
  checkImage(ownText(template, 'image'), context)
  for (const [key, ceiling] of Object.entries(TEMPLATE_CEILINGS)) {
    const value = own(template, key)
    if (typeof value !== 'number' || value <= ceiling) continue
    const unit = key === 'cpu' ? UNITS.cpu : UNITS.memory
    context.warn(`is above the ceiling of ${ceiling} ${unit}; ${ceiling} will be used`, [key])
  }
  if (own(template, 'gpu') !== undefined) context.warn('`gpu` has no effect in a template', ['gpu'], { on: 'key' })
}

function checkImage(image: string | undefined, context: CheckContext): void {
  if (image === undefined || image === '' || image.includes('@')) return
  const tag = image.slice(image.lastIndexOf('/') + 1).split(':')[1]
  if (tag === undefined || tag === '') {
    context.warn('has no tag or digest, so it can change under you; add one, for example `node:22.11`', ['image'])
  }
  if (tag === 'latest')
    context.warn('is tagged `latest`, so it can change under you; pin a version or digest', ['image'])
}

function checkDefault(sandbox: PlainMap, context: CheckContext): void {
  const wanted = ownText(sandbox, 'default')
  if (wanted === undefined || wanted === '' || wanted === PLATFORM_TEMPLATE_SLUG) return
  const slugs = ownList(sandbox, 'templates').flatMap((item) => (isMap(item) ? (ownText(item, 'slug') ?? []) : []))
  if (slugs.includes(wanted)) return
  const near = context.suggest(wanted, slugs)
  const hint = near === undefined ? '' : ` Did you mean ${quote(near)}?`
  context.warn(`names no declared template, so the platform image is used.${hint}`, ['default'])
}
