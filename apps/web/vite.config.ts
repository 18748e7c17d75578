import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `npm run build` fills dist/, which the platform serves. While you work on a screen, run
// `npx vite` in this folder beside `npm start`: calls go to the running platform.
export default defineConfig({
  plugins: [react(), tailwind()],
  resolve: { conditions: ['svc-source', 'module', 'browser', 'import', 'default'] },
  build: {
    target: 'es2022',
    // Names carry a hash of their content, so a browser may keep them for ever.
    assetsDir: 'assets',
    modulePreload: { polyfill: false },
    // Inline data would need a weaker Content-Security-Policy.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      '^/(v1|session|sign-in|sign-up|sign-out|password|invite|oauth|first-run|pages.css)': 'http://127.0.0.1:8008',
    },
  },
})
