import type { RuntimeFileContent } from '@svc/sdk'
import { Notice } from '../../../../ui/notice.tsx'

interface PictureViewProps {
  readonly path: string
  readonly file: RuntimeFileContent
}

const pictures = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|svg\+xml)$/

/** A file that is not text: a picture is shown, and as a picture it runs nothing; anything else is only named. */
export function PictureView({ path, file: { content, encoding, mimeType = '' } }: PictureViewProps) {
  if (!pictures.test(mimeType) || encoding !== 'base64') {
    return <Notice>This file is not text{mimeType === '' ? '' : ` (${mimeType})`}. A terminal has it.</Notice>
  }
  return (
    <div className="flex min-h-0 flex-1 items-start justify-center overflow-auto rounded-lg border border-line bg-sunken p-4">
      <img src={`data:${mimeType};base64,${content}`} alt={path} className="max-w-full" />
    </div>
  )
}
