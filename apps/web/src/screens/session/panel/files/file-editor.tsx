import { useSaveSessionFile, useSessionFile } from '@svc/sdk/react'
import { ArrowLeft, RotateCw } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Markdown } from '../../../../markdown/markdown.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Notice, ProblemNotice } from '../../../../ui/notice.tsx'
import { QueryView } from '../../../../ui/query-view.tsx'
import { SkeletonRows } from '../../../../ui/skeleton.tsx'
import { showToast } from '../../../../ui/toasts.tsx'
import type { PanelProps } from '../panel-props.ts'
import type { Drafts } from './drafts.ts'
import { findLineEnd, toPlainLines, withLineEnd } from './line-ends.ts'
import { PictureView } from './picture-view.tsx'

const CodeEditor = lazy(() =>
  import('../../../../editor/code-editor.tsx').then((module) => ({ default: module.CodeEditor })),
)

/** Longer than this a text is slow to edit in a page, and better edited where it is. */
const maxEditChars = 2_000_000

interface FileEditorProps extends PanelProps {
  readonly path: string
  readonly drafts: Drafts
  readonly onBack: () => void
}

/** One file of the machine: read, changed and saved, unless somebody else changed it meanwhile. */
export function FileEditor({ projectId, sessionId, path, drafts, onBack }: FileEditorProps) {
  const file = useSessionFile(projectId, sessionId, path)
  return (
    <div className="flex h-full min-h-0 flex-col gap-2">
      <div className="flex items-center gap-2">
        <Button size="small" icon={<ArrowLeft className="size-3.5" aria-hidden />} onClick={onBack}>
          Files
        </Button>
        <code className="min-w-0 flex-1 truncate font-mono text-xs" title={path}>
          {path.replace('/workspace/', '')}
        </code>
        <Button size="small" aria-label="Read again" isBusy={file.isFetching} onClick={() => void file.refetch()}>
          <RotateCw className="size-3.5" aria-hidden />
        </Button>
      </div>
      <QueryView query={file} loading={<SkeletonRows rows={1} height="h-80" />}>
        {(data) => {
          if (data.type !== 'text') return <PictureView path={path} file={data} />
          if (data.content.length > maxEditChars)
            return <Notice>This file is too long to edit here. A terminal has it.</Notice>
          return <TextFile {...{ projectId, sessionId, path, drafts }} stored={data.content} />
        }}
      </QueryView>
    </div>
  )
}

type TextFileProps = Omit<FileEditorProps, 'onBack'> & { readonly stored: string }

function TextFile({ projectId, sessionId, path, drafts, stored }: TextFileProps) {
  const save = useSaveSessionFile(projectId, sessionId)
  const draft = drafts.find(path)
  const [theirs, setTheirs] = useState<string>()
  const isMarkdown = /\.(md|markdown)$/i.test(path)
  const [isPage, setPage] = useState(false)
  const isUnsaved = drafts.isUnsaved(path)
  const plain = toPlainLines(stored)
  const text = draft?.text ?? plain
  const base = draft?.base ?? plain
  // A save of one's own that has just come back is not somebody else's change.
  const changed = theirs ?? (isUnsaved && !save.isPending && plain !== base ? stored : undefined)
  const { drop } = drafts
  // Nothing was typed: the file is shown as it is, also when it changed.
  useEffect(() => {
    if (!isUnsaved && draft !== undefined && draft.base !== plain) drop(path)
  }, [isUnsaved, draft, plain, drop, path])

  const write = async (expected: string | undefined) => {
    const content = withLineEnd(text, findLineEnd(theirs ?? stored))
    // What went wrong stands above the text.
    const result = await save.mutateAsync({ path, content, expected }).catch(() => undefined)
    if (!result) return
    if (result.state === 'changed') return setTheirs(result.content)
    setTheirs(undefined)
    drafts.noteSaved(path, text)
    showToast('Saved.')
  }
  const expected = withLineEnd(base, findLineEnd(stored))
  const saveIfSame = () => void (isUnsaved && !save.isPending && write(plain === base ? stored : expected))
  const undoAll = () => {
    setTheirs(undefined)
    drafts.drop(path)
  }
  const takeTheirs = () => {
    const content = toPlainLines(changed ?? '')
    setTheirs(undefined)
    drafts.put(path, { base: content, text: content })
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      {save.error && <ProblemNotice error={save.error} />}
      {changed !== undefined && (
        <Notice tone="warn">
          <p className="font-medium">This file changed since you opened it.</p>
          <p>Somebody, most likely the agent, wrote it meanwhile. Nothing of yours is lost yet.</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button size="small" onClick={takeTheirs}>
              Take what is there now
            </Button>
            <Button size="small" look="danger" isBusy={save.isPending} onClick={() => void write(changed)}>
              Replace it with mine
            </Button>
          </div>
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="flex-1 text-xs text-ink-faint">
          {isUnsaved ? 'Not saved' : 'Saved'}
          {findLineEnd(stored) === 'mixed' && ' · has several kinds of line ends; a save makes them one'}
        </span>
        {isMarkdown && (
          <Button size="small" look="quiet" aria-pressed={isPage} onClick={() => setPage(!isPage)}>
            {isPage ? 'Edit' : 'As a page'}
          </Button>
        )}
        {isUnsaved && (
          <Button size="small" onClick={undoAll}>
            Undo all
          </Button>
        )}
        <Button size="small" look="primary" disabled={!isUnsaved} isBusy={save.isPending} onClick={saveIfSame}>
          Save
        </Button>
      </div>
      {isPage ? (
        <article className="min-h-0 flex-1 overflow-auto rounded-lg border border-line bg-surface p-4">
          <Markdown text={text} />
        </article>
      ) : (
        <div className="min-h-60 flex-1 overflow-hidden rounded-lg border border-line focus-within:border-accent focus-within:outline-1 focus-within:outline-accent">
          <Suspense fallback={<SkeletonRows rows={1} height="h-80" />}>
            <CodeEditor
              label={`Text of ${path}`}
              value={text}
              onChange={(next) => drafts.put(path, { base, text: next })}
              onSave={saveIfSame}
            />
          </Suspense>
        </div>
      )}
    </div>
  )
}
