import { defineConfig } from 'tsdown'

// One build shape for every library package: ESM plus declarations. A package with other needs has its own file.
export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  fixedExtension: true,
  dts: true,
  clean: true,
})
