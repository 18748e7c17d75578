import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { type PatchFile, type PatchLine, readPatch } from './read-patch.ts'

const looks: Readonly<Record<PatchLine['kind'], string>> = {
  context: '',
  added: 'bg-added',
  removed: 'bg-removed',
  hunk: 'bg-sunken text-ink-faint',
}

const signs: Readonly<Record<PatchLine['kind'], string>> = { context: ' ', added: '+', removed: '-', hunk: ' ' }

/** The changes, file by file. A long file has only the lines on the screen in the page. */
export function PatchView({ patch }: { readonly patch: string }) {
  const files = useMemo(() => readPatch(patch), [patch])
  return files.map((file) => <FileView key={file.path} file={file} />)
}

const rowPx = 20

function FileView({ file }: { readonly file: PatchFile }) {
  const scroller = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count: file.lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
  })
  return (
    <section aria-label={file.path} className="overflow-hidden rounded-lg border border-line bg-surface">
      <h2 className="border-b border-line px-3 py-2 font-mono text-xs break-all">{file.path}</h2>
      <section
        ref={scroller}
        aria-label={`Lines of ${file.path}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        className="max-h-[70vh] overflow-auto"
      >
        <div className="relative min-w-fit font-mono text-xs" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const line = file.lines[row.index]
            return line && <LineView key={row.key} line={line} top={row.start} />
          })}
        </div>
      </section>
    </section>
  )
}

function LineView({ line, top }: { readonly line: PatchLine; readonly top: number }) {
  return (
    <div
      className={classNames('absolute inset-x-0 flex h-5 items-center whitespace-pre', looks[line.kind])}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span aria-hidden className="w-12 shrink-0 pr-2 text-right text-ink-faint select-none">
        {line.oldLine}
      </span>
      <span aria-hidden className="w-12 shrink-0 pr-2 text-right text-ink-faint select-none">
        {line.newLine}
      </span>
      <span className="w-4 shrink-0 select-none">{signs[line.kind]}</span>
      <span>{line.text}</span>
    </div>
  )
}
