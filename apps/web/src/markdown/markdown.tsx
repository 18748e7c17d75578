import { lexer, type Token, type Tokens } from 'marked'
import { Fragment, type MouseEvent, memo, type ReactNode, use, useMemo } from 'react'
import { LinkOpener } from './link-opener.ts'

/**
 * Markdown as React elements. No HTML is ever set from text: what an agent wrote as HTML is shown as text, and an
 * address is a link only when it is one that a person could have typed.
 */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => readTokens(text), [text])
  return <div className="flex flex-col gap-3 leading-relaxed break-words">{renderBlocks(tokens)}</div>
})

const maxChars = 200_000

function readTokens(text: string): Token[] {
  try {
    return lexer(text.slice(0, maxChars), { gfm: true })
  } catch {
    // Text that cannot be read as Markdown is still text.
    return [{ type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text }] }]
  }
}

function renderBlocks(tokens: readonly Token[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever appended to while a text streams in
  return tokens.map((token, index) => <Fragment key={index}>{renderBlock(token)}</Fragment>)
}

const headings = ['text-lg', 'text-base', 'text-sm', 'text-sm', 'text-sm', 'text-sm']

function renderBlock(token: Token): ReactNode {
  switch (token.type) {
    case 'heading':
      return <p className={`font-semibold ${headings[token.depth - 1]}`}>{renderInline(token.tokens)}</p>
    case 'paragraph':
      return <p>{renderInline(token.tokens)}</p>
    case 'code':
      return (
        <pre className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs">
          <code>{token.text}</code>
        </pre>
      )
    case 'list':
      return renderList(token as Tokens.List)
    case 'blockquote':
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 text-ink-soft">
          {renderBlocks(token.tokens ?? [])}
        </blockquote>
      )
    case 'table':
      return renderTable(token as Tokens.Table)
    case 'hr':
      return <hr className="border-line" />
    case 'space':
      return null
    case 'text':
      return <p>{'tokens' in token && token.tokens ? renderInline(token.tokens) : token.text}</p>
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>
  }
}

function renderList({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever appended to
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} disabled className="mr-2" />}
      {item.tokens.map((token, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Fragment key={at}>
          {token.type === 'text' && 'tokens' in token ? renderInline(token.tokens) : renderBlock(token)}
        </Fragment>
      ))}
    </li>
  ))
  if (!ordered) return <ul className="list-disc space-y-1 pl-5">{rows}</ul>
  return (
    <ol className="list-decimal space-y-1 pl-5" start={typeof start === 'number' ? start : undefined}>
      {rows}
    </ol>
  )
}

function renderTable({ header, rows }: Tokens.Table): ReactNode {
  const cell = (tokens: readonly Token[] | undefined) => renderInline(tokens)
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-left">
        <thead>
          <tr>
            {header.map((one, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
              <th key={index} className="border border-line px-2 py-1 font-medium">
                {cell(one.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={at}>
              {row.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={index} className="border border-line px-2 py-1">
                  {cell(one.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function renderInline(tokens: readonly Token[] | undefined): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other name
  return tokens?.map((token, index) => <Fragment key={index}>{renderPiece(token)}</Fragment>)
}

function renderPiece(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{renderInline(token.tokens)}</strong>
    case 'em':
      return <em>{renderInline(token.tokens)}</em>
    case 'del':
      return <del>{renderInline(token.tokens)}</del>
    case 'codespan':
      return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{token.text}</code>
    case 'br':
      return <br />
    case 'link':
    case 'image':
      return renderLink(token as Tokens.Link | Tokens.Image)
    case 'escape':
      return token.text
    case 'text':
      return 'tokens' in token && token.tokens ? renderInline(token.tokens) : unescapeText(token.text)
    default:
      return token.raw
  }
}

/** A picture is a link to it: looking at a transcript sends nothing anywhere. */
function renderLink({ href, text }: Tokens.Link | Tokens.Image): ReactNode {
  return isSafeAddress(href) ? <TextLink href={href}>{text || href}</TextLink> : text
}

function TextLink({ href, children }: { readonly href: string; readonly children: string }) {
  const open = use(LinkOpener)(href)
  const onClick = (event: MouseEvent) => {
    if (!open) return
    event.preventDefault()
    open()
  }
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      onClick={onClick}
      className="text-accent underline"
    >
      {children}
    </a>
  )
}

export function isSafeAddress(href: string): boolean {
  // Control characters and spaces hide a scheme from the eye, not from the browser.
  return /^(https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(href)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The lexer hands over text with these five as entities; React escapes anew. */
function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole)
}
