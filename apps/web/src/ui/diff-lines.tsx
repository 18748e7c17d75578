import { classNames } from './class-names.ts'

interface Line {
  readonly type: 'unchanged' | 'added' | 'removed'
  readonly text: string
}

const looks = { unchanged: '', added: 'bg-added', removed: 'bg-removed' }
const signs = { unchanged: ' ', added: '+', removed: '-' }

/** A change, line by line. The sign says it as well as the colour. */
export function DiffLines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <pre className="max-h-96 overflow-auto font-mono text-xs">
      {lines.map(({ type, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one change have no other name
        <div key={index} className={classNames('px-2', looks[type])}>
          <span aria-hidden className="mr-2 inline-block w-2 text-ink-faint select-none">
            {signs[type]}
          </span>
          {type !== 'unchanged' && <span className="sr-only">{type}</span>}
          {text}
        </div>
      ))}
    </pre>
  )
}
