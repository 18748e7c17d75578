import { createContext } from 'react'

/** For an address that must not be opened as it stands: how to open it. Undefined leaves it to the browser. */
export type OpenLink = (href: string) => (() => void) | undefined

/** Whoever shows a text may say what becomes of the links in it. */
export const LinkOpener = createContext<OpenLink>(() => undefined)
