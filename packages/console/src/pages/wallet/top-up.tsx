import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { post } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

export function TopUpSection({ supportUrl }: { supportUrl: string | null }) {
  const t = useTexts().wallet.topUp
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const redeem = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    if (code.trim() === '') return setError(t.missing)
    setBusy(true)
    const result = await post('wallet/redeem', { code: code.trim() })
    setBusy(false)
    if (!result.ok) return setError(message(result.error))
    setError(undefined)
    setCode('')
    toast(t.done(result.value.amount_usd))
    for (const path of ['wallet', 'wallet/history', 'wallet/statements', 'session', 'overview'])
      void client.invalidateQueries({ queryKey: [path] })
  }

  return (
    <Section title={t.title} text={t.text}>
      <form noValidate onSubmit={redeem} className="flex flex-col gap-3">
        <TextField
          label={t.code}
          name="code"
          value={code}
          onChange={setCode}
          error={error}
          hint={t.codeHint}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" busy={isBusy}>
            {t.redeem}
          </Button>
          {supportUrl && (
            <a href={supportUrl} rel="noreferrer" target="_blank" className="text-link hover:underline">
              {t.support}
            </a>
          )}
        </div>
      </form>
    </Section>
  )
}
