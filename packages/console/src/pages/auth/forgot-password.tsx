import { useState } from 'react'
import { Link } from 'wouter'
import { post } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Banner } from '../../ui/states.tsx'
import { AuthCard } from './card.tsx'
import { EmailField, useEmail } from './email-field.tsx'
import { emailError } from './form.ts'

export function ForgotPasswordPage() {
  const texts = useTexts()
  const t = texts.auth.forgot
  const { data: about } = useAbout()
  const [email, setEmail] = useEmail()
  const [sentTo, setSentTo] = useState<string>()
  const back = (
    <Link href="/sign-in" className="font-medium text-link hover:underline">
      {t.back}
    </Link>
  )

  const { errors, isBusy, submit } = useForm({
    fields: ['email'],
    check: () => emailError(email, texts),
    send: () => post('password/forgot', { email: email.trim() }),
    done: () => setSentTo(email.trim()),
  })

  if (sentTo !== undefined) {
    return (
      <AuthCard title={t.sent} below={back}>
        <p role="status" className="break-words">
          {t.sentText(sentTo)}
        </p>
      </AuthCard>
    )
  }
  if (about && !about.mail) return <AuthCard title={t.title} text={t.off} below={back} />
  return (
    <AuthCard title={t.title} text={t.text} below={back}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <EmailField value={email} onChange={setEmail} error={errors.email} />
        <Button type="submit" variant="primary" wide busy={isBusy}>
          {t.submit}
        </Button>
      </form>
    </AuthCard>
  )
}
