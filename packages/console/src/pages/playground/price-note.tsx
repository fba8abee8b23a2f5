import type { ModelRow } from '../../api/types.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { formatUsd } from '../../ui/values.tsx'
import { figureOf, labelOf } from '../models/prices.ts'
import { nanosOf, usdText } from '../usage/series.ts'
import { heldFor } from './video/length.ts'

type PriceNoteProps = {
  model: ModelRow | undefined
  group: string
  /** How many images or seconds, if it is known. */
  count: number
  /** What was chosen for a video. */
  chosen?: Parameters<typeof heldFor>[2]
}

/** What a click on the button costs, where the price says so; else the price. What is held meanwhile, where that is another amount. */
export function PriceNote({ model, group, count, chosen }: PriceNoteProps) {
  const { locale, texts } = useLanguage()
  const price = model?.prices.find((each) => each.group === group)?.price
  const figure = model && price && figureOf(model, price)
  if (!figure) return null
  const usd = String(price[figure.unit])
  const isCounted = (figure.unit === 'per_image' || figure.unit === 'per_second') && count > 0
  const shown = isCounted ? usdText(nanosOf(usd) * BigInt(count)) : usd
  const held = chosen && heldFor(price, model.limits, chosen)
  return (
    <p className="text-sm text-muted">
      {texts.playground.price}: {formatUsd(shown, locale)} USD
      {isCounted ? '' : ` ${labelOf(texts.models.units, figure.unit)}`}
      {held !== undefined && nanosOf(held) !== nanosOf(shown) && (
        <span className="block">{texts.playground.heldUpTo(formatUsd(held, locale))}</span>
      )}
    </p>
  )
}
