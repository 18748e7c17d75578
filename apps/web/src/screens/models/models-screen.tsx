import { useParams } from '@tanstack/react-router'
import { Tabs } from 'radix-ui'
import { Page } from '../../ui/page.tsx'
import { Budgets } from './budgets.tsx'
import { Figures } from './figures.tsx'
import { GatewayKeys } from './gateway-keys.tsx'
import { GatewayLogs } from './gateway-logs.tsx'

const parts = [
  { name: 'Figures', Part: Figures },
  { name: 'Calls', Part: GatewayLogs },
  { name: 'Budgets', Part: Budgets },
  { name: 'Keys', Part: GatewayKeys },
] as const

/** What models were called for in this project, what they cost, and what may be spent. */
export function ModelsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  return (
    <Page title="Models" intro="What models were called for, what they cost, and what may be spent.">
      <Tabs.Root defaultValue="Figures" className="flex flex-col gap-6">
        <Tabs.List aria-label="Models" className="flex overflow-x-auto border-b border-line">
          {parts.map(({ name }) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="border-b-2 border-transparent px-3 py-2 text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {parts.map(({ name, Part }) => (
          <Tabs.Content key={name} value={name} className="flex flex-col gap-6">
            <Part projectId={projectId} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Page>
  )
}
