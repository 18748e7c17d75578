import { X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { Button } from '../../../ui/button.tsx'
import { CostPanel } from './cost-panel.tsx'
import { FilesPanel } from './files-panel.tsx'
import type { PanelProps } from './panel-props.ts'
import { PreviewsPanel } from './previews-panel.tsx'
import { SharePanel } from './share-panel.tsx'

const panels = [
  { name: 'Files', Panel: FilesPanel },
  { name: 'Previews', Panel: PreviewsPanel },
  { name: 'Cost', Panel: CostPanel },
  { name: 'Share', Panel: SharePanel },
] as const

/** What stands beside a conversation. On a phone it stands in its place. */
export function SessionPanel({ projectId, sessionId, onClose }: PanelProps & { readonly onClose: () => void }) {
  return (
    <aside
      aria-label="Details"
      className="flex min-h-0 w-full shrink-0 flex-col border-line bg-surface lg:w-104 lg:border-l"
    >
      <Tabs.Root defaultValue="Files" className="flex min-h-0 flex-1 flex-col">
        <div className="flex items-center border-b border-line pr-2">
          <Tabs.List aria-label="Details" className="flex flex-1 overflow-x-auto px-2">
            {panels.map(({ name }) => (
              <Tabs.Trigger
                key={name}
                value={name}
                className="border-b-2 border-transparent px-3 py-2.5 text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
              >
                {name}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <Button size="small" look="quiet" aria-label="Close details" onClick={onClose}>
            <X className="size-4" aria-hidden />
          </Button>
        </div>
        {panels.map(({ name, Panel }) => (
          <Tabs.Content key={name} value={name} className="min-h-0 flex-1 overflow-y-auto p-4">
            <Panel projectId={projectId} sessionId={sessionId} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </aside>
  )
}
