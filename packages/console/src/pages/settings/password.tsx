import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Section } from '../../ui/page.tsx'
import { Banner } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { newPasswordError } from '../auth/form.ts'
import { PasswordRule } from '../auth/password-rule.tsx'

export function PasswordSection() {
  const texts = useTexts()
  const t = texts.settings.password
  const { account, may_set_password: maySet } = useSession()
  const { data: about } = useAbout()
  const client = useQueryClient()
  const toast = useToast()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const needsCurrent = account.has_password && !maySet

  const { errors, isBusy, submit } = useForm({
    fields: ['current', 'password'],
    check: () => ({
      ...(needsCurrent && current === '' ? { current: texts.auth.passwordMissing } : {}),
      ...newPasswordError(password, about?.password, texts),
    }),
    send: () => post('password', { password, ...(needsCurrent ? { current } : {}) }),
    done() {
      setCurrent('')
      setPassword('')
      toast(t.done)
      void client.invalidateQueries({ queryKey: ['session'] })
      void client.invalidateQueries({ queryKey: ['sessions'] })
    },
    rejected: ({ param }) => (param === 'current' ? { current: t.wrong } : undefined),
  })

  return (
    <div id="password">
      <Section title={t.title} text={account.has_password ? t.text : t.setText}>
        <form noValidate onSubmit={submit} className="flex max-w-[360px] flex-col gap-4">
          {errors.form && <Banner tone="bad">{errors.form}</Banner>}
          {/* Password managers need to know which account it is. */}
          <input type="text" name="username" autoComplete="username" value={account.email} readOnly hidden />
          {needsCurrent && (
            <PasswordField
              label={t.current}
              name="current"
              autoComplete="current-password"
              value={current}
              onChange={setCurrent}
              error={errors.current}
            />
          )}
          <PasswordField
            label={texts.auth.newPassword}
            name="password"
            autoComplete="new-password"
            value={password}
            onChange={setPassword}
            error={errors.password}
            hint={<PasswordRule rules={about?.password} />}
          />
          <div>
            <Button type="submit" variant="primary" busy={isBusy}>
              {account.has_password ? t.change : t.set}
            </Button>
          </div>
        </form>
      </Section>
    </div>
  )
}
