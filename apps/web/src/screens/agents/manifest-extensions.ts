import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap } from '@codemirror/view'
import { type ManifestFormat, type ManifestIssue, manifestJsonSchema } from '@svc/manifest'
import { findTomlPlace, findYamlPlace } from './find-place.ts'
import { suggest } from './suggest.ts'

/** Marks the places of the issues in the text. */
export const showIssues = StateEffect.define<readonly ManifestIssue[]>()

/** Completion from the JSON Schema, and a line under what is wrong. */
export function manifestExtensions(format: ManifestFormat): Extension[] {
  return [
    autocompletion({ override: [(context) => complete(context, format)], icons: false }),
    keymap.of(completionKeymap),
    issueMarks,
    look,
  ]
}

const schemas = { 1: manifestJsonSchema(1), 2: manifestJsonSchema(2) }

function complete(context: CompletionContext, format: ManifestFormat): CompletionResult | null {
  const text = context.state.doc.toString()
  const place = (format === 'toml' ? findTomlPlace : findYamlPlace)(text, context.pos)
  if (!context.explicit && place.from === context.pos && place.kind === 'key') return null
  const schema = schemas[/^\s*svc_version\s*[:=]\s*1\s*$/m.test(text) ? 1 : 2]
  const options = suggest(schema, place).map(({ label, detail }) => ({
    label,
    ...(detail === '' ? {} : { info: detail }),
    apply: write(label, place.kind, format),
  }))
  return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w.-]*$/ }
}

function write(label: string, kind: 'key' | 'value', format: ManifestFormat): string {
  if (kind === 'key') return format === 'toml' ? `${label} = ` : `${label}: `
  const isWord = format === 'toml' && !/^(true|false|\d+)$/.test(label)
  return isWord ? JSON.stringify(label) : label
}

const marks = {
  error: Decoration.mark({ class: 'cm-manifest-error' }),
  warning: Decoration.mark({ class: 'cm-manifest-warning' }),
}

const issueMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { effects, changes, newDoc }) {
    const told = effects.find((one) => one.is(showIssues))
    if (!told) return shown.map(changes)
    const issues: readonly ManifestIssue[] = told.value
    const ranges = issues.flatMap(({ line = 1, column = 1, severity }) => {
      if (line > newDoc.lines) return []
      const row = newDoc.line(line)
      const from = Math.min(row.from + column - 1, row.to)
      const word = /^[^\s:=#]+/.exec(newDoc.sliceString(from, row.to))?.[0].length ?? 0
      const to = word > 0 ? from + word : row.to
      const mark = severity === 'error' ? marks.error : marks.warning
      return from < to ? [mark.range(from, to)] : []
    })
    return Decoration.set(ranges, true)
  },
  provide: (field) => EditorView.decorations.from(field),
})

const look = EditorView.theme({
  '.cm-manifest-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-manifest-warning': { textDecoration: 'underline wavy var(--warn)', textUnderlineOffset: '3px' },
  '.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--ink)',
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '20rem', padding: '4px 8px', fontFamily: 'var(--font-sans)' },
})
