// Writes the published schemas from the built package: `npm run build`, then `node packages/manifest/scripts/write-schemas.mjs`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { manifestJsonSchema, SCHEMA_FILENAMES } from '../dist/index.mjs'

const folder = new URL('../schema/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const version of [1, 2, 'combined']) {
  const text = `${JSON.stringify(manifestJsonSchema(version), null, 2)}\n`
  writeFileSync(new URL(SCHEMA_FILENAMES[version], folder), text)
  process.stdout.write(`${SCHEMA_FILENAMES[version]}: ${text.length} characters\n`)
}
