import { useAbout } from '../../api/queries.ts'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { Section } from '../../ui/page.tsx'
import { newPasswordField } from '../auth/password-rule.tsx'

export function PasswordSection() {
  const texts = useTexts()
  const t = texts.settings.password
  const { account, may_set_password: maySet } = useSession()
  const { data: about } = useAbout()
  return (
    <div id="password">
      <Section title={t.title} text={account.has_password ? t.text : t.setText}>
        <PostForm
          path="password"
          className="flex max-w-[360px] flex-col gap-4"
          button={(submit) => <Button {...submit} variant="primary" />}
          action={account.has_password ? t.change : t.set}
          fields={[
            // Password managers need to know which account it is.
            <input
              key="of"
              type="text"
              name="username"
              autoComplete="username"
              value={account.email}
              readOnly
              hidden
            />,
            {
              name: 'current',
              label: t.current,
              as: 'password',
              autoComplete: 'current-password',
              missing: texts.auth.passwordMissing,
              rejected: t.wrong,
              isShown: () => account.has_password && !maySet,
            },
            newPasswordField(about?.password, texts),
          ]}
          said={t.done}
          isCleared
          refreshes={['session', 'sessions']}
        />
      </Section>
    </div>
  )
}
