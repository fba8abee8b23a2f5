import { useId, useState } from 'react'
import { nanosOf, usdText } from '../../../pages/usage/series.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { Part } from '../../../ui/page.tsx'
import { isZero } from '../../../ui/values.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import type { ShownRequest } from './columns.tsx'

/** Refunds what was charged and is not refunded yet. A request that cost nothing has nothing to refund. */
export function Refund({ request }: { request: ShownRequest }) {
  const t = useOperateTexts().requests.refund
  const act = useAct()
  const words = useWords()
  const form = useId()
  const left = usdText(nanosOf(request.cost_usd) - nanosOf(request.refunded_usd))
  const [amount, setAmount] = useState(left)
  if (request.state !== 'settled' || isZero(request.cost_usd)) return null
  if (isZero(left)) return <Part title={t.title}>{t.nothingLeft}</Part>
  const refund = () =>
    act({
      method: 'POST',
      path: 'requests/{request}/refund',
      params: { request: request.id },
      body: { amount_usd: amount.trim() },
      ...words('request refund', request.account ?? request.account_id, amount.trim()),
      reason: 'required',
    })
  return (
    <Part title={t.title}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          void refund()
        }}
        className="flex flex-wrap items-end gap-2"
      >
        <div className="min-w-40 flex-1">
          <TextField label={t.amount(left)} value={amount} onChange={setAmount} inputMode="decimal" />
        </div>
        <ActButton permission="money" type="submit" form={form}>
          {t.button}
        </ActButton>
      </form>
    </Part>
  )
}
