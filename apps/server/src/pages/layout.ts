import { type Html, html } from './html.ts'

export interface Page {
  readonly title: string
  readonly body: Html
  /** What went wrong, in words. */
  readonly problem?: { readonly say: string; readonly next?: string | undefined } | undefined
}

export function renderPage({ title, body, problem }: Page): string {
  const alert =
    problem &&
    html`<div class="alert" role="alert"><strong>${problem.say}</strong>${problem.next ? html` ${problem.next}` : ''}</div>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · svc</title>
<link rel="stylesheet" href="/pages.css">
</head>
<body>
<main>
<p class="mark">svc</p>
<h1>${title}</h1>
${alert}${body}
</main>
</body>
</html>
`.text
}

interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly type?: 'email' | 'password' | 'text'
  readonly value?: string
  readonly autocomplete?: string
  readonly hint?: string
  readonly numeric?: boolean
}

export function field({ name, label, type = 'text', value = '', autocomplete, hint, numeric }: FieldOptions): Html {
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" required${
    autocomplete ? html` autocomplete="${autocomplete}"` : ''
  }${numeric ? html` inputmode="numeric" maxlength="6" pattern="[0-9]{6}"` : ''}${
    hint ? html` aria-describedby="${name}-hint"` : ''
  }>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}`
}

export const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

interface FormOptions {
  readonly action: string
  readonly csrf: string
  readonly fields: readonly (Html | undefined)[]
  readonly submit: string
}

export function form({ action, csrf, fields, submit }: FormOptions): Html {
  return html`<form method="post" action="${action}">
${hidden('csrf', csrf)}
${fields}
<button type="submit">${submit}</button>
</form>`
}
