// Why a request cost what it cost: units x price = cost, line by line. What is shown adds up to the charge, to the last digit.

import type { Receipt } from '../../api/types.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { Amount, formatUsd, isZero, useNumber } from '../../ui/values.tsx'

type Line = NonNullable<Receipt['lines']>[number]

export function Charge({ receipt }: { receipt: Receipt }) {
  const t = useTexts().usage.receipt
  const { lines, rounding_usd: rounding, shortfall_usd: shortfall, cost_usd: cost } = receipt
  if (receipt.state === 'open') return <p className="text-muted">{t.costAtEnd}</p>
  const used = lines?.filter(({ count }) => count > 0) ?? []
  if (used.length === 0) return <p className="text-muted">{isZero(cost) ? t.noCharge : t.noDetails}</p>
  return (
    <table className="w-full rounded-md border bg-canvas">
      <caption className="sr-only">{t.howCounted}</caption>
      <tbody>
        {used.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several lines can have the same name.
          <tr key={index} className="border-b">
            <th scope="row" className="px-3 py-2 text-left font-normal">
              {t.units[line.name] ?? line.name.replaceAll('_', ' ')}
              <Product line={line} />
            </th>
            <Cost usd={line.cost_usd} />
          </tr>
        ))}
        {rounding !== null && !isZero(rounding) && <Correction label={t.rounding} usd={rounding} />}
        {!isZero(shortfall) && <Correction label={t.shortfall} note={t.shortfallNote} usd={`-${shortfall}`} />}
      </tbody>
      <tfoot>
        <tr className="font-semibold">
          <th scope="row" className="px-3 py-2 text-left">
            {t.cost}
          </th>
          <Cost usd={cost} />
        </tr>
      </tfoot>
    </table>
  )
}

function Product({ line: { count, price_usd: price, per, factors } }: { line: Line }) {
  const t = useTexts().usage.receipt
  const { locale } = useLanguage()
  const number = useNumber()
  const product = [number(count, { maximumFractionDigits: 3 }), t.price(formatUsd(price, locale), per > 1), ...factors]
  return <span className="block text-sm text-muted">{product.join(' × ')}</span>
}

function Correction({ label, note, usd }: { label: string; note?: string; usd: string }) {
  return (
    <tr className="border-b">
      <th scope="row" className="px-3 py-2 text-left font-normal">
        {label}
        {note && <span className="block text-sm text-muted">{note}</span>}
      </th>
      <Cost usd={usd} />
    </tr>
  )
}

const Cost = ({ usd }: { usd: string }) => (
  <td className="px-3 py-2 text-right align-top">
    <Amount usd={usd} />
  </td>
)
