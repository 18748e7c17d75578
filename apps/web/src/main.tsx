import './theme/theme.css'
import { configureSvc } from '@svc/sdk'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './data/queries.ts'
import { router } from './router.tsx'
import { getToken } from './session/access-token.ts'
import { Toasts } from './ui/toasts.tsx'

configureSvc({ backendUrl: `${location.origin}/v1`, getToken, clientSource: 'web' })

const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content
if (styleNonce) setNonce(styleNonce)

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
