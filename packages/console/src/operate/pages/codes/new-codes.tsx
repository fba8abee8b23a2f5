// New codes, shown once. Nothing but the person's own word closes it.

import { useState } from 'react'
import { useLeaveGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Checkbox } from '../../../ui/form/field.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export type NewCode = { code: string; amount_usd: string; expires_at: string | null }

/** More are in the file only. */
const MOST_SHOWN = 20

export function NewCodesDialog({
  label,
  codes,
  onClose,
}: {
  label: string
  codes: readonly NewCode[]
  onClose(): void
}) {
  const t = useOperateTexts().codes.made
  const { keys } = useTexts()
  const [isStored, setStored] = useState(false)
  useLeaveGuard(isStored ? undefined : { title: t.leave, text: t.leaveText })
  const shown = codes.slice(0, MOST_SHOWN).map(({ code }) => code)
  const download = () => {
    const rows = codes.map(({ code, amount_usd, expires_at }) => [code, amount_usd, expires_at ?? ''].join(','))
    const url = URL.createObjectURL(
      new Blob([['code,amount_usd,expires_at', ...rows, ''].join('\r\n')], { type: 'text/csv' }),
    )
    const link = Object.assign(document.createElement('a'), { href: url, download: fileName(label) })
    link.click()
    // The download has begun by the next task.
    setTimeout(() => URL.revokeObjectURL(url), 1_000)
  }
  return (
    <Dialog
      open
      closable={false}
      onClose={onClose}
      title={t.title}
      footer={
        <>
          <Button icon="download" onClick={download}>
            {t.download}
          </Button>
          <Button variant="primary" disabled={!isStored} onClick={onClose}>
            {keys.secret.done}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{t.text(codes.length)}</p>
        <CodeBlock code={shown.join('\n')} label={t.title} />
        {codes.length > MOST_SHOWN && <p className="text-muted">{t.more(codes.length - MOST_SHOWN)}</p>}
        <Checkbox checked={isStored} onChange={setStored} label={keys.secret.stored} />
      </div>
    </Dialog>
  )
}

const fileName = (label: string): string => `codes-${label.replace(/[^\w-]+/g, '-')}.csv`
