import { escapeHtml } from '../kernel/http/index.ts'

/** Markup that is safe to send: what was put into it has been escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | undefined | false | readonly Piece[]

/** @example html`<p>${name}</p>` escapes the name; markup inside is kept when it was made by `html` itself. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.map((text, at) => text + render(pieces[at])).join(''))
}

function render(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(render).join('')
  return escapeHtml(String(piece))
}
