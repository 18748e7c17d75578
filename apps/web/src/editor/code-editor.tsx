import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { getNonce } from 'get-nonce'
import { useEffect, useRef } from 'react'

interface CodeEditorProps {
  /** Names the text for whoever does not see it. */
  readonly label: string
  readonly value: string
  readonly isReadOnly?: boolean
  readonly onChange: (value: string) => void
  /** Ctrl S or ⌘ S. */
  readonly onSave?: () => void
  /** What this text has besides, such as completion. Those of the first showing stay. */
  readonly extensions?: readonly Extension[]
}

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '12px' },
  // Whoever holds the editor shows where the keyboard is.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono, ui-monospace, Menlo, Consolas, monospace)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { color: 'var(--ink-faint)', backgroundColor: 'var(--surface)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--warn-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--good-soft)' },
  '.cm-panels': { color: 'var(--ink)', backgroundColor: 'var(--sunken)' },
  '.cm-textfield': { color: 'var(--ink)', backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-button': { color: 'var(--ink)', background: 'var(--surface)', border: '1px solid var(--line-strong)' },
})

/** Marks a text that came from outside: whoever gave it knows it. */
const fromOutside = Annotation.define<boolean>()

/**
 * A text with line numbers, search and undo. Escape and then Tab leaves it for the keyboard. A value from outside
 * replaces the text only when it is not what was typed here.
 */
export function CodeEditor({ label, value, isReadOnly = false, onChange, onSave, extensions = [] }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const access = useRef(new Compartment())
  const callbacks = useRef({ onChange, onSave })
  callbacks.current = { onChange, onSave }
  const first = useRef({ label, value, extensions })
  /** What was typed and has not come back as a value yet. */
  const typed = useRef<string[]>([])

  useEffect(() => {
    if (!place.current) return
    const save = () => {
      callbacks.current.onSave?.()
      return true
    }
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current.value,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ''),
          // It takes the focus anyway; this says so to those who look for it by its attribute.
          EditorView.contentAttributes.of({ 'aria-label': first.current.label, tabindex: '0' }),
          look,
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          bracketMatching(),
          indentOnInput(),
          indentUnit.of('  '),
          search({ top: true }),
          keymap.of([{ key: 'Mod-s', run: save }, indentWithTab, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          ...first.current.extensions,
          access.current.of([]),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (!docChanged || transactions.some((one) => one.annotation(fromOutside))) return
            const text = state.doc.toString()
            typed.current.push(text)
            callbacks.current.onChange(text)
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    const at = typed.current.indexOf(value)
    typed.current = at < 0 ? [] : typed.current.slice(at + 1)
    // An echo may be late: what was typed since stays, and comes back next.
    if (!editor || at >= 0 || editor.state.doc.toString() === value) return
    const changes = { from: 0, to: editor.state.doc.length, insert: value }
    editor.dispatch({ changes, annotations: fromOutside.of(true) })
  }, [value])

  // Typed and taken back before anybody looked: no value says so.
  useEffect(() => {
    if (typed.current.at(-1) === value) typed.current = []
  })

  useEffect(() => {
    view.current?.dispatch({
      effects: access.current.reconfigure(isReadOnly ? [EditorState.readOnly.of(true)] : []),
    })
  }, [isReadOnly])

  return <div ref={place} className="h-full min-h-0 overflow-hidden" />
}
