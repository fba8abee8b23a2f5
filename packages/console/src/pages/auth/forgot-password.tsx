import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { post } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Banner } from '../../ui/states.tsx'
import { AuthCard, useAbout } from './card.tsx'
import { EmailField } from './email-field.tsx'
import { apiFieldErrors, emailError, type FieldErrors, focusFirstError, hasErrors } from './form.ts'

export function ForgotPasswordPage() {
  const texts = useTexts()
  const t = texts.auth.forgot
  const { data: about } = useAbout()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const [errors, setErrors] = useState<FieldErrors>({})
  const [isBusy, setBusy] = useState(false)
  const back = (
    <Link href="/sign-in" className="font-medium text-link hover:underline">
      {t.back}
    </Link>
  )

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const form = event.currentTarget
    const found = emailError(email, texts)
    setErrors(found)
    if (hasErrors(found)) return focusFirstError(form)
    setBusy(true)
    const result = await post('password/forgot', { email: email.trim() })
    setBusy(false)
    if (result.ok) return setSentTo(email.trim())
    setErrors(apiFieldErrors(result.error, texts, ['email']))
    focusFirstError(form)
  }

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
