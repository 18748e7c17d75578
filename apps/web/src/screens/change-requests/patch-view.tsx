import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { PatchRowView } from './patch-row.tsx'
import { listRows, type PatchRow } from './patch-rows.ts'
import { type PatchFile, readPatch } from './read-patch.ts'

const rowPx = 20
/** Longer diffs scroll in a frame of their own that holds only what is on the screen. */
const mostPlainRows = 400
const overscan = 20

/** The changes, file by file, in one column or in two. */
export function PatchView({ patch }: { readonly patch: string }) {
  const files = useMemo(() => readPatch(patch), [patch])
  const [isPaired, setPaired] = useState(false)
  const [target, setTarget] = useState<{ readonly path: string; readonly asked: number }>()
  const rows = useMemo(() => listRows(files, isPaired), [files, isPaired])
  if (files.length === 0) return <p className="text-ink-soft">No file is different.</p>
  const targetRow = target && rows.findIndex((row) => row.kind === 'file' && row.file.path === target.path)
  const show = (path: string) => setTarget({ path, asked: (target?.asked ?? 0) + 1 })
  const props = { rows, target: targetRow, asked: target?.asked ?? 0 }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-2">
        <FileNames files={files} onShow={show} />
        <div className="hidden sm:block">
          <Button size="small" onClick={() => setPaired(!isPaired)}>
            {isPaired ? 'In one column' : 'Side by side'}
          </Button>
        </div>
      </div>
      {rows.length > mostPlainRows ? <LongPatch {...props} /> : <ShortPatch {...props} />}
    </div>
  )
}

interface FileNamesProps {
  readonly files: readonly PatchFile[]
  readonly onShow: (path: string) => void
}

const mostNames = 500

/** A way to each file; nothing for a single one. */
function FileNames({ files, onShow }: FileNamesProps) {
  if (files.length === 1) return <span className="flex-1" />
  return (
    <details className="min-w-0 flex-1 rounded-md border border-line bg-surface">
      <summary className="cursor-pointer px-3 py-1 text-ink-soft">{files.length} files</summary>
      <ul aria-label="Changed files" className="max-h-64 overflow-y-auto border-t border-line py-1">
        {files.slice(0, mostNames).map((file) => (
          <li key={file.path}>
            <button
              type="button"
              onClick={() => onShow(file.path)}
              className="flex w-full gap-3 px-3 py-0.5 text-left font-mono text-xs hover:bg-sunken"
            >
              <span className="min-w-0 flex-1 break-all">{file.path}</span>
              <span className="text-good">+{file.added}</span>
              <span className="text-bad">−{file.removed}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface RowsProps {
  readonly rows: readonly PatchRow[]
  /** The row of a file that was asked for. */
  readonly target: number | undefined
  /** Rises with every wish, so that the same file can be asked for twice. */
  readonly asked: number
}

const frameLook = 'overflow-hidden rounded-lg border border-line bg-surface font-mono text-xs leading-5'

function ShortPatch({ rows, target, asked }: RowsProps) {
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (asked > 0 && target !== undefined) frame.current?.children[target]?.scrollIntoView({ block: 'start' })
  }, [target, asked])
  return (
    <section ref={frame} aria-label="Changed lines" className={frameLook}>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of one diff have no other name and never move
        <div key={index} className="scroll-mt-14">
          <PatchRowView row={row} />
        </div>
      ))}
    </section>
  )
}

function LongPatch({ rows, target, asked }: RowsProps) {
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan,
  })
  const { scrollToIndex } = virtual
  useEffect(() => {
    if (asked > 0 && target !== undefined) scrollToIndex(target, { align: 'start' })
  }, [target, asked, scrollToIndex])
  return (
    <section
      ref={scroller}
      aria-label="Changed lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className={`${frameLook} h-[75vh] overflow-y-auto`}
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {row && <PatchRowView row={row} />}
            </div>
          )
        })}
      </div>
    </section>
  )
}
