import { useState } from 'react'
import { Link } from 'wouter'
import { useAbout } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { textIn } from '../../ui/form/typed-values.ts'
import { AuthCard } from './card.tsx'
import { useEmailField } from './email-field.ts'

export function ForgotPasswordPage() {
  const t = useTexts().auth.forgot
  const { data: about } = useAbout()
  const email = useEmailField()
  const [sentTo, setSentTo] = useState<string>()
  const back = (
    <Link href="/sign-in" className="font-medium text-link hover:underline">
      {t.back}
    </Link>
  )

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
      <PostForm
        path="password/forgot"
        fields={[email]}
        action={t.submit}
        button={(submit) => <Button {...submit} variant="primary" wide />}
        onDone={(_, values) => setSentTo(textIn(values, 'email').trim())}
      />
    </AuthCard>
  )
}
