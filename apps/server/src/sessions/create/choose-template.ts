import { PLATFORM_TEMPLATE_SLUG, type ResolvedAgent } from '@svc/manifest'
import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import type { Plan } from './read-plan.ts'

/** The template and the provider of a session's machine; refused here when no machine could come of it. */
export async function chooseTemplate(
  { sandboxes, templates }: Parts,
  projectId: string,
  { resolved }: Plan,
  agent: ResolvedAgent,
  asked: { sandbox_slug?: string | undefined; provider?: string | undefined },
): Promise<{ slug: string; provider: string }> {
  const slug = asked.sandbox_slug ?? agent.sandbox
  if (templates) {
    const found = await templates.resolveTemplate({ projectId, slug, provider: asked.provider })
    sandboxes.requireProvider(found.provider)
    return found
  }
  const isKnown = slug === PLATFORM_TEMPLATE_SLUG || resolved.templates.entries.some((entry) => entry.slug === slug)
  if (!isKnown) {
    const known = [PLATFORM_TEMPLATE_SLUG, ...resolved.templates.entries.map((entry) => entry.slug)]
    throw problem('unknown_sandbox_template', {
      say: `The project has no sandbox template named ${slug}.`,
      next: `Choose one of: ${known.join(', ')}.`,
    })
  }
  const provider = asked.provider ?? sandboxes.providers[0]
  if (provider === undefined) throw problem('sandbox_provider_unavailable')
  sandboxes.requireProvider(provider)
  return { slug, provider }
}
