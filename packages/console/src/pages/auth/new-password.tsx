// The card where the holder of a link chooses a new password.

import { useState } from 'react'
import type { Result } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Banner } from '../../ui/states.tsx'
import { AuthCard } from './card.tsx'
import { newPasswordError } from './form.ts'
import { isExpired } from './links.tsx'
import { PasswordRule } from './password-rule.tsx'

type Props<T> = {
  send(password: string): Promise<Result<T>>
  onDone(value: T): void
  onExpired(): void
}

export function NewPasswordCard<T>({ send, onDone, onExpired }: Props<T>) {
  const texts = useTexts()
  const t = texts.auth
  const { data: about } = useAbout()
  const [password, setPassword] = useState('')
  const { errors, isBusy, submit } = useForm({
    fields: ['password'],
    check: () => newPasswordError(password, about?.password, texts),
    send: () => send(password),
    done: onDone,
    rejected(error) {
      if (!isExpired(error)) return undefined
      onExpired()
      return {}
    },
  })

  return (
    <AuthCard title={t.reset.title}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <PasswordField
          label={t.newPassword}
          name="password"
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={setPassword}
          error={errors.password}
          hint={<PasswordRule rules={about?.password} />}
        />
        <Button type="submit" variant="primary" wide busy={isBusy}>
          {t.reset.submit}
        </Button>
      </form>
    </AuthCard>
  )
}
