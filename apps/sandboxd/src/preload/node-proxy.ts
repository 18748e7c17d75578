/**
 * Node 20's own `fetch` ignores HTTP_PROXY and HTTPS_PROXY, and a sandbox has no other way out. Every Node program of
 * the agent loads this file first, so it does next to nothing: the proxy agent is loaded at the first fetch.
 */
interface Dispatcher {
  dispatch(options: unknown, handler: unknown): boolean
}

let loaded: Dispatcher | undefined

const lazyDispatcher = {
  dispatch(options: unknown, handler: unknown): boolean {
    loaded ??= (require('./node-proxy-agent.cjs') as { createAgent(): Dispatcher }).createAgent()
    return loaded.dispatch(options, handler)
  },
}

// The slot in which undici, and so the fetch of Node itself, looks for its dispatcher. Writable: a program that brings
// its own agent replaces ours.
Object.defineProperty(globalThis, Symbol.for('undici.globalDispatcher.1'), {
  value: lazyDispatcher,
  writable: true,
  enumerable: false,
  configurable: false,
})
