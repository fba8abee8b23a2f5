// The card where the holder of a link chooses a new password.

import type { Result } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { SendForm } from '../../ui/form/post-form.tsx'
import { AuthCard } from './card.tsx'
import { isExpired } from './links.tsx'
import { newPasswordField } from './password-rule.tsx'

type Props<T> = {
  send(password: string): Promise<Result<T>>
  onDone(value: T): void
  onExpired(): void
}

export function NewPasswordCard<T>({ send, onDone, onExpired }: Props<T>) {
  const texts = useTexts()
  const { data: about } = useAbout()
  return (
    <AuthCard title={texts.auth.reset.title}>
      <SendForm
        action={texts.auth.reset.submit}
        button={(submit) => <Button {...submit} variant="primary" wide />}
        fields={[{ ...newPasswordField(about?.password, texts), autoFocus: true }]}
        send={({ password }) => send(String(password))}
        onDone={onDone}
        rejected={(error) => {
          if (!isExpired(error)) return undefined
          onExpired()
          return {}
        }}
      />
    </AuthCard>
  )
}
