// The session has ended while a page was open: a person who signs in again continues where they were, with all that was typed.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { forgetAnswers, post } from '../api/client.ts'
import { useTexts } from '../i18n/language.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PasswordField, TextField } from '../ui/form/field.tsx'
import { useForm } from '../ui/form/form.ts'
import { Banner } from '../ui/states.tsx'
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
  const texts = useTexts()
  const t = texts.auth
  const queries = useQueryClient()
  const [path, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const { errors, isBusy, submit } = useForm({
    fields: ['password', 'code'],
    check: () => ({
      ...(password === '' ? { password: t.passwordMissing } : {}),
      ...(needsCode && code.trim() === '' ? { code: t.secondFactor.missing } : {}),
    }),
    send: () => post('sign-in', { email, password, ...(needsCode ? { code: code.trim() } : {}) }),
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
          <Button type="submit" form={FORM} variant="primary" busy={isBusy}>
            {t.again.submit}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={submit} className="flex flex-col gap-4">
        <p>{t.again.text(email)}</p>
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label={t.password}
          name="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={setPassword}
          error={errors.password}
        />
        {needsCode && (
          <TextField
            label={t.secondFactor.code}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            autoFocus
            value={code}
            onChange={setCode}
            error={errors.code}
          />
        )}
      </form>
    </Dialog>
  )
}
