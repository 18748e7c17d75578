import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type PairedRow, pairLines } from './pair-lines.ts'
import { type PatchFile, type PatchLine, readPatch } from './read-patch.ts'

const looks: Readonly<Record<PatchLine['kind'], string>> = {
  context: '',
  added: 'bg-added',
  removed: 'bg-removed',
  hunk: 'bg-sunken text-ink-faint',
}

const signs: Readonly<Record<PatchLine['kind'], string>> = { context: ' ', added: '+', removed: '-', hunk: ' ' }
const rowPx = 20

/** The changes, file by file, in one column or in two. A long file has only the lines on the screen in the page. */
export function PatchView({ patch }: { readonly patch: string }) {
  const files = useMemo(() => readPatch(patch), [patch])
  const [isPaired, setPaired] = useState(false)
  if (files.length === 0) return <p className="text-ink-soft">No file is different.</p>
  return (
    <div className="flex flex-col gap-3">
      <div className="hidden justify-end sm:flex">
        <Button size="small" aria-pressed={isPaired} onClick={() => setPaired(!isPaired)}>
          Side by side
        </Button>
      </div>
      {files.map((file) =>
        isPaired ? <PairedFile key={file.path} file={file} /> : <PlainFile key={file.path} file={file} />,
      )}
    </div>
  )
}

function PlainFile({ file }: { readonly file: PatchFile }) {
  return (
    <FileFrame path={file.path} count={file.lines.length}>
      {(index) => {
        const line = file.lines[index]
        return (
          line && (
            <div className={classNames('flex h-5 items-center whitespace-pre', looks[line.kind])}>
              <LineNumber of={line.oldLine} />
              <LineNumber of={line.newLine} />
              <LineText line={line} />
            </div>
          )
        )
      }}
    </FileFrame>
  )
}

function PairedFile({ file }: { readonly file: PatchFile }) {
  const rows = useMemo(() => pairLines(file.lines), [file])
  return (
    <FileFrame path={file.path} count={rows.length}>
      {(index) => {
        const row: PairedRow | undefined = rows[index]
        if (!row) return null
        return (
          <div className="grid h-5 grid-cols-2 divide-x divide-line">
            <Half line={row.left} number={row.left?.oldLine} />
            <Half line={row.right} number={row.right?.newLine} />
          </div>
        )
      }}
    </FileFrame>
  )
}

function Half({ line, number }: { readonly line: PatchLine | undefined; readonly number: number | undefined }) {
  return (
    <div
      className={classNames(
        'flex min-w-0 items-center overflow-hidden whitespace-pre',
        line ? looks[line.kind] : 'bg-sunken',
      )}
      title={line?.text}
    >
      <LineNumber of={number} />
      {line && <LineText line={line} />}
    </div>
  )
}

function LineNumber({ of }: { readonly of: number | undefined }) {
  return (
    <span aria-hidden className="w-12 shrink-0 pr-2 text-right text-ink-faint select-none">
      {of}
    </span>
  )
}

function LineText({ line }: { readonly line: PatchLine }) {
  return (
    <>
      <span className="w-4 shrink-0 select-none">{signs[line.kind]}</span>
      <span>{line.text}</span>
    </>
  )
}

interface FileFrameProps {
  readonly path: string
  readonly count: number
  readonly children: (index: number) => ReactNode
}

function FileFrame({ path, count, children }: FileFrameProps) {
  const scroller = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
  })
  return (
    <section aria-label={path} className="overflow-hidden rounded-lg border border-line bg-surface">
      <h2 className="border-b border-line px-3 py-2 font-mono text-xs break-all">{path}</h2>
      <section
        ref={scroller}
        aria-label={`Lines of ${path}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        className="max-h-[70vh] overflow-auto"
      >
        <div className="relative min-w-fit font-mono text-xs" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => (
            <div key={key} className="absolute inset-x-0" style={{ transform: `translateY(${start}px)` }}>
              {children(index)}
            </div>
          ))}
        </div>
      </section>
    </section>
  )
}
