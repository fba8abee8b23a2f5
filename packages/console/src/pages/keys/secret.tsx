// A secret, shown once. Nothing but the person's own word closes it.

import { useState } from 'react'
import { useLeaveGuard } from '../../app/leave-guard.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/form/field.tsx'

export function SecretDialog({ name, secret, onClose }: { name: string; secret: string; onClose(): void }) {
  const t = useTexts().keys.secret
  const [isStored, setStored] = useState(false)
  useLeaveGuard(isStored ? undefined : { title: t.leave(name), text: t.leaveText })
  return (
    <Dialog
      open
      closable={false}
      onClose={onClose}
      title={t.title}
      footer={
        <Button variant="primary" disabled={!isStored} onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{t.text(name)}</p>
        <Secret secret={secret} />
        <KeyRules />
        <Checkbox checked={isStored} onChange={setStored} label={t.stored} />
      </div>
    </Dialog>
  )
}

export function Secret({ secret }: { secret: string }) {
  const t = useTexts().keys.secret
  return (
    <div className="flex items-center gap-2 rounded-md border border-edge/50 bg-canvas py-2 pr-2 pl-3">
      <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">
        <span className="sr-only">{t.label}: </span>
        {secret}
      </code>
      <CopyButton text={secret} label={t.label} withText />
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
