import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { post, type Result } from '../../api/client.ts'
import type { BegunSecondFactor } from '../../api/types.ts'
import { useFormGuard, useLeaveGuard } from '../../app/leave-guard.tsx'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Section } from '../../ui/page.tsx'
import { Badge, Banner, useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { QrCode } from './qr-code.tsx'

type Step =
  | { name: 'idle' }
  | { name: 'confirm'; begun: BegunSecondFactor }
  | { name: 'codes'; codes: string[] }
  | { name: 'remove' }

export function SecondFactorSection() {
  const t = useTexts().settings.secondFactor
  const { second_factor: isOn, account } = useSession()
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [step, setStep] = useState<Step>({ name: 'idle' })
  const [isBusy, setBusy] = useState(false)
  const close = () => setStep({ name: 'idle' })
  useLeaveGuard(step.name === 'codes' ? { title: t.leave, text: t.leaveText } : undefined)
  const changed = () => void client.invalidateQueries({ queryKey: ['session'] })

  const begin = async () => {
    setBusy(true)
    const result = await post('second-factor/begin')
    setBusy(false)
    if (result.ok) setStep({ name: 'confirm', begun: result.value })
    else toast(message(result.error), 'bad')
  }

  return (
    <Section
      title={t.title}
      text={t.text}
      actions={<Badge tone={isOn ? 'good' : 'plain'}>{isOn ? t.on : t.off}</Badge>}
    >
      {isOn ? (
        <Button onClick={() => setStep({ name: 'remove' })}>{t.remove}</Button>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <Button busy={isBusy} disabled={!account.has_password} onClick={begin}>
            {t.begin}
          </Button>
          {!account.has_password && <span className="text-muted">{t.needsPassword}</span>}
        </div>
      )}
      {step.name === 'confirm' && (
        <Confirm
          begun={step.begun}
          onClose={close}
          onDone={(codes) => {
            setStep({ name: 'codes', codes })
            changed()
          }}
        />
      )}
      {step.name === 'codes' && (
        <Dialog
          open
          closable={false}
          onClose={close}
          title={t.codes}
          footer={
            <Button
              variant="primary"
              onClick={() => {
                close()
                toast(t.turnedOn)
              }}
            >
              {t.stored}
            </Button>
          }
        >
          <div className="flex flex-col gap-4">
            <p>{t.codesText}</p>
            <CodeBlock label={t.codes} code={step.codes.join('\n')} />
          </div>
        </Dialog>
      )}
      {step.name === 'remove' && (
        <Remove
          onClose={close}
          onDone={() => {
            close()
            changed()
            toast(t.turnedOff)
          }}
        />
      )}
    </Section>
  )
}

type Send<T> = (password: string, code: string) => Promise<Result<T>>

/** A password and a code, both required, with errors beside them. */
function useCodeForm<T>(send: Send<T>, onDone: (value: T) => void, onClose: () => void) {
  const texts = useTexts()
  const t = texts.settings.secondFactor
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { errors, isBusy, submit } = useForm({
    fields: ['code', 'password'],
    check: () => ({
      ...(code.trim() === '' ? { code: texts.auth.secondFactor.missing } : {}),
      ...(password === '' ? { password: texts.auth.passwordMissing } : {}),
    }),
    send: () => send(password, code.trim()),
    done: onDone,
    rejected({ param }) {
      if (param === 'password') return { password: t.wrongPassword }
      return param === 'code' ? { code: texts.auth.secondFactor.wrong } : undefined
    },
  })
  const close = useFormGuard(password !== '' || code !== '', onClose)
  const codeField = { value: code, onChange: setCode, error: errors.code, autoComplete: 'one-time-code' } as const
  const passwordField = {
    label: t.password,
    value: password,
    onChange: setPassword,
    error: errors.password,
    autoComplete: 'current-password',
  } as const
  return { errors, isBusy, submit, close, codeField, passwordField }
}

const FORM = 'second-factor'

function Confirm({
  begun,
  onClose,
  onDone,
}: {
  begun: BegunSecondFactor
  onClose(): void
  onDone(codes: string[]): void
}) {
  const t = useTexts().settings.secondFactor
  const form = useCodeForm(
    (password, code) => post('second-factor/confirm', { secret: begun.secret, code, password }),
    ({ recovery_codes: codes }) => onDone(codes),
    onClose,
  )
  return (
    <CodeDialog title={t.title} submit={t.confirm} form={form}>
      <p>{t.scan}</p>
      <QrCode text={begun.uri} label={t.qr} />
      <div>
        <div className="text-sm text-muted">{t.key}</div>
        <CopyText text={begun.secret} label={t.key} />
      </div>
      <TextField label={t.code} inputMode="numeric" {...form.codeField} />
      <PasswordField {...form.passwordField} />
    </CodeDialog>
  )
}

function Remove({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const t = useTexts().settings.secondFactor
  const form = useCodeForm((password, code) => post('second-factor/remove', { password, code }), onDone, onClose)
  return (
    <CodeDialog title={t.removeQuestion} submit={t.remove} isDangerous form={form}>
      <p>{t.removeText}</p>
      <PasswordField {...form.passwordField} />
      <TextField label={t.anyCode} {...form.codeField} />
    </CodeDialog>
  )
}

function CodeDialog(props: {
  title: string
  submit: string
  isDangerous?: boolean
  form: Pick<ReturnType<typeof useCodeForm>, 'isBusy' | 'submit' | 'errors' | 'close'>
  children: ReactNode
}) {
  const { common } = useTexts()
  const { title, submit, isDangerous, form, children } = props
  return (
    <Dialog
      open
      onClose={form.close}
      title={title}
      footer={
        <>
          <Button onClick={form.close}>{common.cancel}</Button>
          <Button type="submit" form={FORM} variant={isDangerous ? 'danger' : 'primary'} busy={form.isBusy}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={form.submit} className="flex flex-col gap-4">
        {children}
        {form.errors.form && <Banner tone="bad">{form.errors.form}</Banner>}
      </form>
    </Dialog>
  )
}
