// The process of one program: loads its bundle and calls its `run`, when it has one.
import { pathToFileURL } from 'node:url'

const program = await import(pathToFileURL(process.argv[2] ?? '').href)
await program.run?.()
