import { useProjectFile } from '@svc/sdk/react'
import { useState } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SourceLines } from './source-lines.tsx'

interface FileViewProps {
  readonly projectId: string
  readonly gitRef: string | undefined
  readonly path: string
}

/** One file as it is committed: Markdown as a page or as source, everything else as source. */
export function FileView({ projectId, gitRef, path }: FileViewProps) {
  const file = useProjectFile(projectId, path, gitRef)
  const isMarkdown = /\.(md|markdown)$/i.test(path)
  const [isSource, setSource] = useState(false)
  return (
    <QueryView query={file}>
      {({ content }) => {
        if (content.includes('\0')) return <Notice>This file is not text. Clone the repository to look at it.</Notice>
        return (
          <div className="flex flex-col gap-2">
            <div className="flex justify-end gap-2">
              {isMarkdown && (
                <Button size="small" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
                  {isSource ? 'Show as a page' : 'Show the source'}
                </Button>
              )}
              <CopyButton text={content} />
            </div>
            {isMarkdown && !isSource ? (
              <article className="rounded-lg border border-line bg-surface p-4 sm:p-6">
                <Markdown text={content} />
              </article>
            ) : (
              <SourceLines text={content} label={path} />
            )}
          </div>
        )
      }}
    </QueryView>
  )
}
