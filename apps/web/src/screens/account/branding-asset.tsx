import type { useBranding } from '@svc/sdk/react'
import { type ChangeEvent, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Row } from '../../ui/list.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'

export const brandingAssets = [
  { kind: 'logo', label: 'Logo', note: 'On light ground' },
  { kind: 'logo_dark', label: 'Logo', note: 'On dark ground' },
  { kind: 'icon', label: 'Icon', note: 'Square, on light ground' },
  { kind: 'icon_dark', label: 'Icon', note: 'Square, on dark ground' },
  { kind: 'favicon', label: 'Tab icon', note: 'On light ground' },
  { kind: 'favicon_dark', label: 'Tab icon', note: 'On dark ground' },
] as const

interface BrandingAssetProps {
  readonly asset: (typeof brandingAssets)[number]
  readonly url: string | null
  readonly isOff: boolean
  readonly branding: ReturnType<typeof useBranding>
}

/** A picture is only ever shown as an image, where no script of an SVG runs. */
export function BrandingAsset({ asset, url, isOff, branding }: BrandingAssetProps) {
  const id = useId()
  const name = `${asset.label}, ${asset.note.toLowerCase()}`
  const upload = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    branding.uploadAsset.mutateAsync({ kind: asset.kind, file }).then(() => showToast('Saved.'), showProblem)
  }
  return (
    <Row title={asset.label} note={asset.note}>
      {url && <img src={url} alt={name} className="h-8 max-w-24 rounded border border-line object-contain" />}
      <label
        htmlFor={id}
        className="flex h-7 cursor-pointer items-center rounded-md border border-line-strong px-2 text-xs font-medium focus-within:outline-2 focus-within:outline-accent hover:bg-sunken"
      >
        {url ? 'Replace' : 'Upload'}
        <span className="sr-only">: {name}</span>
        <input
          id={id}
          type="file"
          disabled={isOff}
          accept="image/png,image/svg+xml,image/x-icon,image/jpeg,image/webp"
          onChange={upload}
          className="sr-only"
        />
      </label>
      {url && (
        <ConfirmDialog
          title="Remove this picture?"
          description={`${name}: it is gone from every page at once. You can upload it again.`}
          confirmLabel="Remove"
          trigger={<Button size="small">Remove</Button>}
          onConfirm={() => branding.removeAsset.mutateAsync(asset.kind)}
        />
      )}
    </Row>
  )
}
