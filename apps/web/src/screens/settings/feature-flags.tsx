import { FEATURE_FLAG_KEYS } from '@svc/sdk'
import type { useProject } from '@svc/sdk/react'
import { Switch } from 'radix-ui'
import { Badge } from '../../ui/badge.tsx'
import { List, Row } from '../../ui/list.tsx'
import { Section } from '../../ui/section.tsx'
import { showProblem } from '../../ui/toasts.tsx'

type ProjectQuery = ReturnType<typeof useProject>
type Flag = NonNullable<ProjectQuery['data']>['experimental_features'][number]

interface FeatureFlagsProps {
  readonly flags: readonly Flag[]
  readonly onSet: ProjectQuery['setFeatureFlag']['mutateAsync']
}

/**
 * Flags of capabilities that the server does not have yet: it calls them available, and switching them would change
 * nothing. A capability that arrives leaves this list with its first screen.
 */
const later: readonly string[] = [
  'marketplace',
  'connectors_api_discover',
  'email',
  'teams',
  'voice',
  'apps',
  'monitors',
]

/** Only what this server has can be switched. */
export function FeatureFlags({ flags, onSet }: FeatureFlagsProps) {
  const shown = flags.flatMap((flag) => {
    const key = FEATURE_FLAG_KEYS.find((one) => one === flag.key)
    return flag.available && key && !later.includes(key) ? [{ ...flag, key }] : []
  })
  if (shown.length === 0) return null
  return (
    <Section title="Features">
      <List label="Features">
        {shown.map(({ key, name, description, stability, enabled }) => (
          <Row key={key} title={name} note={description}>
            {stability !== 'stable' && <Badge>{stability}</Badge>}
            <Switch.Root
              checked={enabled}
              aria-label={name}
              onCheckedChange={(next) => void onSet({ feature: key, enabled: next }).catch(showProblem)}
              className="h-5 w-9 rounded-full border border-line-strong bg-sunken data-[state=checked]:bg-accent"
            >
              <Switch.Thumb className="block size-4 translate-x-0.5 rounded-full bg-ink-soft transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
            </Switch.Root>
          </Row>
        ))}
      </List>
    </Section>
  )
}
