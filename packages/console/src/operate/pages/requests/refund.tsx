import { nanosOf, usdText } from '../../../pages/usage/series.ts'
import { textIn } from '../../../ui/form/typed-values.ts'
import { Part } from '../../../ui/page.tsx'
import { isZero } from '../../../ui/values.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import type { ShownRequest } from './columns.tsx'

/** Refunds what was charged and is not refunded yet. A request that cost nothing has nothing to refund. */
export function Refund({ request }: { request: ShownRequest }) {
  const t = useOperateTexts().requests.refund
  const words = useWords()
  const left = usdText(nanosOf(request.cost_usd) - nanosOf(request.refunded_usd))
  if (request.state !== 'settled' || isZero(request.cost_usd)) return null
  if (isZero(left)) return <Part title={t.title}>{t.nothingLeft}</Part>
  return (
    <Part title={t.title}>
      <ActForm
        method="POST"
        path="requests/{request}/refund"
        params={{ request: request.id }}
        permission="money"
        className="flex flex-wrap items-end gap-2"
        action={t.button}
        fields={[
          {
            frame: (shown) => <div className="min-w-40 flex-1">{shown}</div>,
            fields: [{ name: 'amount_usd', label: t.amount(left), as: 'amount', usual: left }],
          },
        ]}
        question={(_, values) => ({
          ...words('request refund', request.account ?? request.account_id, textIn(values, 'amount_usd').trim()),
          reason: 'required',
        })}
      />
    </Part>
  )
}
