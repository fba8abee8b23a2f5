import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { post } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

export function NoticeSection({ threshold }: { threshold: string | null }) {
  const { wallet, common } = useTexts()
  const t = wallet.notice
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [amount, setAmount] = useState(threshold ?? '')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const written = amount.trim()
    if (written !== '' && !/^\d{1,9}(\.\d{1,9})?$/.test(written)) return setError(t.invalid)
    setBusy(true)
    const result = await post('preferences', { low_balance_usd: written === '' ? null : written })
    setBusy(false)
    if (!result.ok) return setError(message(result.error))
    setError(undefined)
    toast(common.saved)
    for (const path of ['wallet', 'session']) void client.invalidateQueries({ queryKey: [path] })
  }

  return (
    <Section title={t.title} text={t.text}>
      <form noValidate onSubmit={save} className="flex flex-col gap-3">
        <TextField
          label={t.amount}
          name="low_balance"
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          error={error}
          hint={t.hint}
        />
        <div>
          <Button type="submit" busy={isBusy}>
            {common.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}
