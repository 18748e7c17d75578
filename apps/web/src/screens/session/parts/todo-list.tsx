import type { TodoItem } from '@svc/sdk'
import { Circle, CircleCheck, CircleDot, CircleX } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'

const states = {
  completed: { Icon: CircleCheck, word: 'done', look: 'text-good', line: 'text-ink-faint line-through' },
  in_progress: { Icon: CircleDot, word: 'being done', look: 'text-accent', line: 'font-medium' },
  cancelled: { Icon: CircleX, word: 'left out', look: 'text-ink-faint', line: 'text-ink-faint line-through' },
  pending: { Icon: Circle, word: 'to do', look: 'text-ink-faint', line: '' },
}

/** A plan, each line with how far it is. */
export function TodoList({ items }: { readonly items: readonly TodoItem[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {items.map(({ content, status }, index) => {
        const { Icon, word, look, line } = states[isState(status) ? status : 'pending']
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan is shown as it was at one moment
          <li key={index} className="flex items-start gap-2">
            <Icon role="img" aria-label={word} className={classNames('mt-0.5 size-4 shrink-0', look)} />
            <span className={classNames('min-w-0 break-words', line)}>{content}</span>
          </li>
        )
      })}
    </ul>
  )
}

const isState = (status: string): status is keyof typeof states => Object.hasOwn(states, status)
