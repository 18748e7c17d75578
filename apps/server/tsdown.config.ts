import { defineConfig } from 'tsdown'

// The server runs from this clone: packages stay in node_modules, nothing publishes its types.
export default defineConfig({
  entry: { main: 'src/main.ts', backup: 'src/backup/program.ts', 'rotate-keys': 'src/kernel/rotate-keys.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: false,
  sourcemap: true,
  clean: true,
  deps: { skipNodeModulesBundle: true },
})
