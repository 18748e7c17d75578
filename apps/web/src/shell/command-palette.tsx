import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useCommands } from './use-commands.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** ⌘K or Ctrl-K: type a few letters, go anywhere. */
export function CommandPalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen((open) => !open)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <Dialog
      title="Go to"
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <button
          type="button"
          className="flex h-9 items-center gap-2 rounded-md border border-line-strong px-3 text-ink-faint hover:bg-sunken"
        >
          <Search className="size-4" aria-hidden />
          <span className="hidden sm:inline">Go to…</span>
          <kbd className="hidden font-mono text-xs sm:inline">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
          <span className="sr-only sm:hidden">Go to</span>
        </button>
      }
    >
      <Commands onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function Commands({ onDone }: { readonly onDone: () => void }) {
  const commands = useCommands(onDone)
  const [text, setText] = useState('')
  const [marked, setMarked] = useState(0)
  const listId = useId()
  const shown = commands.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase())).slice(0, 12)
  const current = Math.min(marked, Math.max(0, shown.length - 1))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') shown[current]?.run()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || shown.length === 0) return
    event.preventDefault()
    setMarked((current + step + shown.length) % shown.length)
  }
  return (
    <div className="flex flex-col gap-2">
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type here
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={shown[current] ? `${listId}-${shown[current].id}` : undefined}
        aria-label="Go to"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder="A project or a screen"
        className="h-10 w-full rounded-md border border-line-strong bg-surface px-3"
      />
      <div role="listbox" id={listId} aria-label="Places" className="flex flex-col">
        {shown.map(({ id, label, hint, run }, index) => (
          <button
            key={id}
            id={`${listId}-${id}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={run}
            className={classNames('flex gap-2 rounded px-3 py-2 text-left', index === current && 'bg-accent-soft')}
          >
            <span className="min-w-0 flex-1 truncate">{label}</span>
            <span className="text-ink-faint">{hint}</span>
          </button>
        ))}
        {shown.length === 0 && <p className="px-3 py-2 text-ink-faint">Nothing matches.</p>}
      </div>
    </div>
  )
}
