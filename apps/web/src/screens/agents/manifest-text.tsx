import { EditorSelection } from '@codemirror/state'
import { type EditorView, ViewPlugin } from '@codemirror/view'
import type { ManifestFormat, ManifestIssue } from '@svc/manifest'
import { type RefObject, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import { CodeEditor } from '../../editor/code-editor.tsx'
import { findOffset } from './find-offset.ts'
import { manifestExtensions, showIssues } from './manifest-extensions.ts'

export interface ManifestTextHandle {
  jump(line: number, column: number): void
}

interface ManifestTextProps {
  readonly label: string
  readonly value: string
  readonly format: ManifestFormat
  readonly issues: readonly ManifestIssue[]
  readonly handle: RefObject<ManifestTextHandle | null>
  readonly onChange: (value: string) => void
}

/** The text of a manifest: completion as one types, a line under what is wrong. */
export function ManifestText({ label, value, format, issues, handle, onChange }: ManifestTextProps) {
  const view = useRef<EditorView>(null)
  const extensions = useMemo(() => [...manifestExtensions(format), keepView(view)], [format])
  useEffect(() => {
    view.current?.dispatch({ effects: showIssues.of(issues) })
  }, [issues])
  useImperativeHandle(handle, () => ({
    jump(line, column) {
      const editor = view.current
      if (!editor) return
      const at = findOffset(editor.state.doc.toString(), line, column)
      editor.dispatch({ selection: EditorSelection.cursor(at), scrollIntoView: true })
      editor.focus()
    },
  }))
  return <CodeEditor label={label} value={value} extensions={extensions} onChange={onChange} />
}

function keepView(view: RefObject<EditorView | null>) {
  return ViewPlugin.define((editor) => {
    view.current = editor
    return {
      destroy() {
        view.current = null
      },
    }
  })
}
