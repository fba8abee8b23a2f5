// A secret, shown once. Nothing but the person's own word closes it.

import { type ReactNode, useState } from 'react'
import { useLeaveGuard } from '../../app/leave-guard.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/form/field.tsx'

export function SecretDialog({ name, secret, onClose }: { name: string; secret: string; onClose(): void }) {
  const t = useTexts().keys.secret
  return (
    <ShownOnce
      title={t.title}
      text={t.text(name)}
      loss={{ title: t.leave(name), text: t.leaveText }}
      secret={secret}
      onClose={onClose}
    >
      <KeyRules />
    </ShownOnce>
  )
}

type ShownOnceProps = {
  title: string
  text: string
  /** What is asked before it is left. */
  loss: { title: string; text: string }
  secret: string
  /** What the secret is, if it is none of a key. */
  label?: string
  onClose(): void
  children?: ReactNode
}

/** What is lost with its dialog: the secret of a key, or a link. */
export function ShownOnce({ title, text, loss, secret, label, onClose, children }: ShownOnceProps) {
  const t = useTexts().keys.secret
  const [isStored, setStored] = useState(false)
  useLeaveGuard(isStored ? undefined : loss)
  return (
    <Dialog
      open
      closable={false}
      onClose={onClose}
      title={title}
      footer={
        <Button variant="primary" disabled={!isStored} onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{text}</p>
        <Secret secret={secret} {...(label === undefined ? {} : { label })} />
        {children}
        <Checkbox checked={isStored} onChange={setStored} label={t.stored} />
      </div>
    </Dialog>
  )
}

export function Secret({ secret, label }: { secret: string; label?: string }) {
  const t = useTexts().keys.secret
  const name = label ?? t.label
  return (
    <div className="flex items-center gap-2 rounded-md border border-edge/50 bg-canvas py-2 pr-2 pl-3">
      <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">
        <span className="sr-only">{name}: </span>
        {secret}
      </code>
      <CopyButton text={secret} label={name} withText />
    </div>
  )
}

/** The rules for handling keys. */
export function KeyRules() {
  const t = useTexts().keys.secret
  return (
    <div>
      <p className="font-medium">{t.rulesTitle}</p>
      <ol className="mt-1 flex list-decimal flex-col gap-1 pl-5 text-muted">
        {t.rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ol>
    </div>
  )
}
