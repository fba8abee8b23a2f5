// Sign-in at the providers of companies: the browser leaves the console, and comes back signed in, or with the reason why not.

import { useSearch } from 'wouter'
import { CONSOLE_PATH } from '../../app/base-path.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ButtonAnchor } from '../../ui/button.tsx'

export function ProviderButtons({
  providers,
  next,
}: {
  providers: readonly { id: string; name: string }[]
  next: string
}) {
  const t = useTexts().auth.signIn
  return providers.map(({ id, name }) => (
    <ButtonAnchor
      key={id}
      wide
      href={`${CONSOLE_PATH}/api/sign-in/${encodeURIComponent(id)}?next=${encodeURIComponent(next)}`}
    >
      {t.with(name)}
    </ButtonAnchor>
  ))
}

/** Why the browser came back without a session. */
export function useRefusal(): string | undefined {
  const { refused } = useTexts().auth.signIn
  const reason = new URLSearchParams(useSearch()).get('refused')
  if (reason === null) return undefined
  return Object.hasOwn(refused, reason) ? refused[reason as keyof typeof refused] : refused.failed
}
