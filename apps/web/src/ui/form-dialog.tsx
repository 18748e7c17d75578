import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useSending } from './use-sending.tsx'

interface FormDialogProps {
  readonly title: string
  readonly description?: string
  readonly submitLabel: string
  readonly trigger: ReactNode
  readonly isComplete?: boolean
  /** Closes when it is done; stays, with the server's sentence, when it is refused. */
  readonly onSubmit: () => Promise<unknown>
  readonly onOpen?: () => void
  readonly children: ReactNode
}

/** A form in a window: fill in, send, see what was wrong without losing what was typed. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, submitLabel, trigger, isComplete = true, onSubmit, onOpen, children } = props
  const [isOpen, setOpen] = useState(false)
  const { isBusy, send, forget, problem } = useSending()
  const change = (next: boolean) => {
    // Its answer would be seen by nobody, or by whoever asks the next time.
    if (isBusy) return
    forget()
    if (next) onOpen?.()
    setOpen(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    return send(async () => {
      await onSubmit()
      setOpen(false)
    })
  }
  return (
    <Dialog
      title={title}
      {...(description ? { description } : {})}
      trigger={trigger}
      isOpen={isOpen}
      onOpenChange={change}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        {children}
        {problem}
        <div className="flex justify-end gap-2">
          <Button disabled={isBusy} onClick={() => change(false)}>
            Cancel
          </Button>
          <Button look="primary" type="submit" isBusy={isBusy} disabled={!isComplete}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
