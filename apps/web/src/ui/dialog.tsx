import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { useSending } from './use-sending.tsx'

interface DialogProps {
  readonly title: string
  readonly description?: string
  readonly trigger?: ReactNode
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
  readonly children: ReactNode
}

/** A window above the page that holds the keyboard until it is closed. */
export function Dialog({ title, description, trigger, isOpen, onOpenChange, children }: DialogProps) {
  const state = isOpen === undefined ? {} : { open: isOpen }
  return (
    <Radix.Root {...state} {...(onOpenChange ? { onOpenChange } : {})}>
      {trigger && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          className="fixed top-[10vh] left-1/2 z-50 flex max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-surface p-6 shadow-xl"
        >
          <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
          {description && <Radix.Description className="-mt-2 text-ink-soft">{description}</Radix.Description>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly description: string
  readonly confirmLabel: string
  readonly trigger: ReactNode
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ title, description, confirmLabel, trigger, onConfirm }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const { isBusy, send, forget, problem } = useSending()
  const change = (next: boolean) => {
    // Its answer would be seen by nobody, or by whoever asks the next time.
    if (isBusy) return
    forget()
    setOpen(next)
  }
  const confirm = () =>
    send(async () => {
      await onConfirm()
      setOpen(false)
    })
  return (
    <Dialog title={title} description={description} trigger={trigger} isOpen={isOpen} onOpenChange={change}>
      {problem}
      <div className="flex justify-end gap-2">
        <Button disabled={isBusy} onClick={() => change(false)}>
          Cancel
        </Button>
        <Button look="danger" isBusy={isBusy} onClick={confirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  )
}
