import { useChosenAccount } from './account-choice.ts'

/** The account's own name and picture, or the product's. A picture is an image: no script of an SVG runs in it. */
export function Brand() {
  const branding = useChosenAccount().account?.branding
  const name = branding?.app_name ?? 'svc'
  const light = branding?.logo_url ?? branding?.icon_url
  const dark = branding?.logo_dark_url ?? branding?.icon_dark_url ?? light
  if (!light) return name
  return (
    <>
      <img src={light} alt={name} className="h-7 max-w-24 object-contain sm:max-w-40 dark:hidden" />
      <img src={dark ?? light} alt={name} className="hidden h-7 max-w-24 object-contain sm:max-w-40 dark:block" />
    </>
  )
}
