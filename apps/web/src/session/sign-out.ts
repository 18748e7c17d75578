import { forgetDrafts } from '../data/prompt-drafts.ts'
import { forgetToken } from './access-token.ts'

/**
 * Signs out as the plain page does: with its form, and the proof that the form is ours. The page is asked for that
 * proof, so no second way to end a session exists beside it.
 */
export async function signOut(): Promise<void> {
  const response = await fetch('/sign-in', { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const proof = page.querySelector<HTMLInputElement>('form[action="/sign-out"] input[name="csrf"]')
  forgetToken()
  forgetDrafts()
  // No such form: nobody is signed in any more.
  if (!proof) return location.assign('/sign-in')
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/sign-out'
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'csrf'
  field.value = proof.value
  form.append(field)
  document.body.append(form)
  form.submit()
}
