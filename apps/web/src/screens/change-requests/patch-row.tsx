import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import type { PatchRow } from './patch-rows.ts'
import type { PatchFile, PatchLine } from './read-patch.ts'

const looks: Readonly<Record<PatchLine['kind'], string>> = {
  context: '',
  added: 'bg-added',
  removed: 'bg-removed',
  hunk: 'bg-sunken text-ink-faint',
}

const signs: Readonly<Record<PatchLine['kind'], string>> = { context: ' ', added: '+', removed: '-', hunk: ' ' }
const words: Readonly<Record<string, string>> = { added: 'added', removed: 'removed' }

/** One row of a diff. Long lines wrap, so nothing is cut off and nothing scrolls sideways. */
export function PatchRowView({ row }: { readonly row: PatchRow }) {
  if (row.kind === 'file') return <FileHeading file={row.file} />
  if (row.kind === 'line') {
    const { line } = row
    return (
      <div className={classNames('flex', looks[line.kind])}>
        <LineNumber of={line.oldLine} />
        <LineNumber of={line.newLine} />
        <LineText line={line} />
      </div>
    )
  }
  const { left, right } = row.pair
  return (
    <div className="grid grid-cols-2 divide-x divide-line">
      <Half line={left} number={left?.oldLine} />
      <Half line={right} number={right?.newLine} />
    </div>
  )
}

function FileHeading({ file }: { readonly file: PatchFile }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 border-y border-line bg-surface px-3 py-2">
      <h2 className="min-w-0 break-all">{file.path}</h2>
      {file.note && <span className="font-sans text-ink-soft">{file.note}</span>}
      <span className="ml-auto">
        <span className="text-good">+{file.added}</span> <span className="text-bad">−{file.removed}</span>
      </span>
    </div>
  )
}

function Half({ line, number }: { readonly line: PatchLine | undefined; readonly number: number | undefined }) {
  return (
    <div className={classNames('flex min-w-0', line ? looks[line.kind] : 'bg-sunken')}>
      <LineNumber of={number} />
      {line && <LineText line={line} />}
    </div>
  )
}

function LineNumber({ of }: { readonly of: number | undefined }) {
  return (
    <span aria-hidden className="w-8 shrink-0 pr-1 text-right text-ink-faint select-none sm:w-12 sm:pr-2">
      {of}
    </span>
  )
}

function LineText({ line }: { readonly line: PatchLine }): ReactNode {
  return (
    <>
      <span aria-hidden className="w-4 shrink-0 select-none">
        {signs[line.kind]}
      </span>
      {words[line.kind] && <span className="sr-only">{words[line.kind]}: </span>}
      <span className="min-w-0 flex-1 break-all whitespace-pre-wrap">{line.text}</span>
    </>
  )
}
