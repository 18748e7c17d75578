import { Button } from './button.tsx'

interface PageTurnerProps {
  /** Undefined where there is nothing newer, or nothing older. */
  readonly onNewer: (() => void) | undefined
  readonly onOlder: (() => void) | undefined
}

/** The way through a log that is read page by page; nothing where one page holds all of it. */
export function PageTurner({ onNewer, onOlder }: PageTurnerProps) {
  if (!onNewer && !onOlder) return null
  return (
    <div className="flex gap-2">
      <Button disabled={!onNewer} onClick={onNewer}>
        Newer
      </Button>
      <Button disabled={!onOlder} onClick={onOlder}>
        Older
      </Button>
    </div>
  )
}
