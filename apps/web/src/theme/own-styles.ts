import { getNonce } from 'get-nonce'

/**
 * Runs something that puts style elements into the page, and marks each of them with the word that this page's policy
 * asks for. Only while it runs: whatever else adds a style, at any other time, is refused by the browser.
 */
export function withOwnStyles<T>(work: () => T): T {
  const nonce = getNonce()
  if (!nonce) return work()
  document.createElement = new Proxy(document.createElement, {
    apply(make, self, args) {
      const element: unknown = Reflect.apply(make, self, args)
      if (element instanceof HTMLStyleElement) element.nonce = nonce
      return element
    },
  })
  try {
    return work()
  } finally {
    // The browser's own stands on the prototype, below the one set above.
    Reflect.deleteProperty(document, 'createElement')
  }
}
