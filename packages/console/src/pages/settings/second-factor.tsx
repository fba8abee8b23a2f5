import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { post } from '../../api/client.ts'
import type { BegunSecondFactor } from '../../api/types.ts'
import { useLeaveGuard } from '../../app/leave-guard.tsx'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Field } from '../../ui/form/fields.ts'
import { PostForm } from '../../ui/form/post-form.tsx'
import { Section } from '../../ui/page.tsx'
import { Badge, useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

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

/** A password and a code, both required. */
function useProof(code: string) {
  const { auth, settings } = useTexts()
  const t = settings.secondFactor
  return {
    code: {
      name: 'code',
      label: code,
      autoComplete: 'one-time-code',
      missing: auth.secondFactor.missing,
      rejected: auth.secondFactor.wrong,
    },
    password: {
      name: 'password',
      label: t.password,
      as: 'password',
      autoComplete: 'current-password',
      missing: auth.passwordMissing,
      rejected: t.wrongPassword,
    },
  } as const satisfies Readonly<Record<string, Field>>
}

type ConfirmProps = { begun: BegunSecondFactor; onClose(): void; onDone(codes: string[]): void }

function Confirm({ begun: { secret, uri }, onClose, onDone }: ConfirmProps) {
  const t = useTexts().settings.secondFactor
  const { code, password } = useProof(t.code)
  return (
    <PostForm
      path="second-factor/confirm"
      body={{ secret }}
      title={t.title}
      action={t.confirm}
      fields={[
        <p key="scan">{t.scan}</p>,
        <QrCode key="qr" text={uri} label={t.qr} />,
        <div key="secret">
          <div className="text-sm text-muted">{t.key}</div>
          <CopyText text={secret} label={t.key} />
        </div>,
        { ...code, as: 'number', write: (typed) => typed },
        password,
      ]}
      onClose={onClose}
      onDone={({ recovery_codes: codes }) => onDone(codes)}
    />
  )
}

function Remove({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const t = useTexts().settings.secondFactor
  const { code, password } = useProof(t.anyCode)
  return (
    <PostForm
      path="second-factor/remove"
      title={t.removeQuestion}
      action={t.remove}
      isDangerous
      fields={[<p key="text">{t.removeText}</p>, password, code]}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

/** Dark on light in both themes: cameras need it. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 3 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48 rounded-md border"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
