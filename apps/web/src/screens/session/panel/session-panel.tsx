import { Maximize2, Minimize2, X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { CostPanel } from './cost-panel.tsx'
import { FilesPanel } from './files/files-panel.tsx'
import type { PanelProps } from './panel-props.ts'
import { PreviewsPanel } from './preview/previews-panel.tsx'
import { SharePanel } from './share-panel.tsx'
import { TerminalPanel } from './terminal/terminal-panel.tsx'

const panels = [
  { name: 'Files', Panel: FilesPanel, needsMachine: true },
  { name: 'Terminal', Panel: TerminalPanel, needsMachine: true },
  { name: 'Previews', Panel: PreviewsPanel, needsMachine: true },
  { name: 'Cost', Panel: CostPanel, needsMachine: false },
  { name: 'Share', Panel: SharePanel, needsMachine: false },
] as const

interface SessionPanelProps extends PanelProps {
  /** Nothing here may look into the machine then: to look is to wake it. */
  readonly isParked: boolean
  readonly onWake: () => void
  readonly isWide: boolean
  readonly onWiden: () => void
  readonly onClose: () => void
}

/** What stands beside a conversation; wide, or on a phone, in its place. */
export function SessionPanel({ projectId, sessionId, isParked, onWake, ...rest }: SessionPanelProps) {
  const { isWide, onWiden, onClose } = rest
  const parked = isParked ? (
    <EmptyState title="The session is parked" action={<Button onClick={onWake}>Start it again</Button>}>
      Its machine is stopped. What you write to it brings it back as well.
    </EmptyState>
  ) : undefined
  return (
    <aside
      aria-label="Details"
      className={classNames(
        'flex min-h-0 w-full shrink-0 flex-col border-line bg-surface lg:border-l',
        !isWide && 'lg:w-[44%] lg:max-w-3xl',
      )}
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
          <span className="hidden lg:contents">
            <Button
              size="small"
              look="quiet"
              aria-label={isWide ? 'Beside the conversation' : 'Over the whole width'}
              onClick={onWiden}
            >
              {isWide ? <Minimize2 className="size-4" aria-hidden /> : <Maximize2 className="size-4" aria-hidden />}
            </Button>
          </span>
          <Button size="small" look="quiet" aria-label="Close details" onClick={onClose}>
            <X className="size-4" aria-hidden />
          </Button>
        </div>
        {panels.map(({ name, Panel, needsMachine }) => (
          <Tabs.Content
            key={name}
            value={name}
            // What is being typed into a file stays while another tab is looked at.
            {...(name === 'Files' ? { forceMount: true } : {})}
            className="min-h-0 flex-1 overflow-y-auto p-4 data-[state=inactive]:hidden"
          >
            {parked && needsMachine && name !== 'Files' ? (
              parked
            ) : (
              <Panel projectId={projectId} sessionId={sessionId} parked={parked} />
            )}
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </aside>
  )
}
