// The session has ended while a page was open: a person who signs in again continues where they were, with all that was typed.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { forgetAnswers, post } from '../api/client.ts'
import { useTexts } from '../i18n/language.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { textIn } from '../ui/form/typed-values.ts'
import { useFields } from '../ui/form/use-fields.tsx'
import { Banner, useErrorMessage } from '../ui/states.tsx'
import { askToLeave } from './leave-guard.tsx'

const FORM = 'sign-in-again'

/** `isOpen`: at first. What is shown only once must stay in reach, so that the dialog can be put off. */
export function SignInAgain({ email, isOpen }: { email: string; isOpen: boolean }) {
  const t = useTexts().auth.again
  const [chosen, setChosen] = useState<boolean>()
  return (
    <>
      <div className="sticky top-0 z-40">
        <Banner tone="warn" action={<Button onClick={() => setChosen(true)}>{t.submit}</Button>}>
          {t.ended}
        </Banner>
      </div>
      {(chosen ?? isOpen) && <SignInDialog email={email} onClose={() => setChosen(false)} />}
    </>
  )
}

function SignInDialog({ email, onClose }: { email: string; onClose(): void }) {
  const t = useTexts().auth
  const message = useErrorMessage()
  const queries = useQueryClient()
  const [path, navigate] = useLocation()
  const [needsCode, setNeedsCode] = useState(false)
  const { form, shown } = useFields({
    entries: [
      <p key="text">{t.again.text(email)}</p>,
      <input key="of" type="text" name="username" autoComplete="username" value={email} readOnly hidden />,
      {
        name: 'password',
        label: t.password,
        as: 'password',
        autoComplete: 'current-password',
        autoFocus: true,
        missing: t.passwordMissing,
      },
      {
        name: 'code',
        label: t.secondFactor.code,
        as: 'number',
        write: (code) => code,
        autoComplete: 'one-time-code',
        autoFocus: true,
        missing: t.secondFactor.missing,
        isShown: () => needsCode,
      },
    ],
    message,
    send: ({ values }) => {
      const code = needsCode ? { code: textIn(values, 'code').trim() } : {}
      return post('sign-in', { email, password: textIn(values, 'password'), ...code })
    },
    done({ signed_in: isSignedIn }) {
      if (!isSignedIn) return setNeedsCode(true)
      forgetAnswers()
      void queries.invalidateQueries()
    },
    rejected({ status }) {
      if (status !== 401) return undefined
      return needsCode ? { code: t.secondFactor.wrong } : { password: t.again.wrong }
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.again.title}
      footer={
        <>
          <Button
            variant="quiet"
            onClick={() => askToLeave(() => navigate(`/sign-in?next=${encodeURIComponent(path)}`))}
          >
            {t.again.other}
          </Button>
          <Button type="submit" form={FORM} variant="primary" busy={form.isBusy}>
            {t.again.submit}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={form.submit} className="flex flex-col gap-4">
        {form.errors.form && <Banner tone="bad">{form.errors.form}</Banner>}
        {shown}
      </form>
    </Dialog>
  )
}
