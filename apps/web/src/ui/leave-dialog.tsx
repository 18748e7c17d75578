import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** While there is something unsaved, leaving the screen or closing the window asks first. Undefined: nothing is. */
export function LeaveDialog({ unsaved }: { readonly unsaved: string | undefined }) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved !== undefined && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved !== undefined,
    withResolver: true,
  })
  return (
    <Dialog
      title="Leave without saving?"
      description={`What you typed into ${unsaved} is lost.`}
      isOpen={leaving.status === 'blocked'}
      onOpenChange={(isOpen) => isOpen || leaving.reset?.()}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={() => leaving.reset?.()}>Stay</Button>
        <Button look="danger" onClick={() => leaving.proceed?.()}>
          Leave
        </Button>
      </div>
    </Dialog>
  )
}
