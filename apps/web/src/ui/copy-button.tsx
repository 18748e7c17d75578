import { Copy } from 'lucide-react'
import { Button } from './button.tsx'
import { showProblem, showToast } from './toasts.tsx'

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const copy = () => navigator.clipboard.writeText(text).then(() => showToast('Copied.'), showProblem)
  return (
    <Button size="small" icon={<Copy className="size-3.5" aria-hidden />} onClick={copy}>
      {label}
    </Button>
  )
}
