import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/client.ts'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Section } from '../../ui/page.tsx'
import { Banner } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

export function NoticeSection() {
  const { low_balance_usd: threshold } = useSession()
  // What is typed stays while the session is read again; another threshold replaces it.
  return <NoticeForm key={threshold} threshold={threshold} />
}

function NoticeForm({ threshold }: { threshold: string | null }) {
  const { wallet, common } = useTexts()
  const t = wallet.notice
  const client = useQueryClient()
  const toast = useToast()
  const [amount, setAmount] = useState(threshold ?? '')
  const written = amount.trim()
  const { errors, isBusy, submit } = useForm({
    fields: ['low_balance_usd'],
    check: () => (written === '' || /^\d{1,9}(\.\d{1,9})?$/.test(written) ? {} : { low_balance_usd: t.invalid }),
    send: () => post('preferences', { low_balance_usd: written === '' ? null : written }),
    done() {
      toast(common.saved)
      void client.invalidateQueries({ queryKey: ['session'] })
    },
  })

  return (
    <Section title={t.title} text={t.text}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <TextField
          label={t.amount}
          name="low_balance"
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          error={errors.low_balance_usd}
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
