import type { ModelRow } from '@trivium/gateway/console-api/routes/models.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { formatUsd } from '../../ui/values.tsx'
import { DEFAULT_GROUP, differs, labelOf, usualOf } from './prices.ts'

/**
 * What most keys pay, with its unit. It tells whose price it is if groups pay different ones, or if the usual
 * group does not offer the model.
 */
export function ShortPrice({ model }: { model: ModelRow }) {
  const { locale, texts } = useLanguage()
  const t = texts.models
  const usual = usualOf(model)
  if (!usual?.figure) return <>{'\u2013'}</>
  const { price, figure, group } = usual
  const usd = (name: string) => formatUsd(String(price[name] ?? '0.00'), locale)
  const isByTokens = 'input' in price
  const groups = model.prices.map((each) => each.group)
  const hint = differs(model) ? t.ofGroup(group) : groups.includes(DEFAULT_GROUP) ? '' : t.onlyIn(groups.join(', '))
  return (
    <span className="inline-flex flex-col cards:items-end">
      <span className="rows:whitespace-nowrap">
        {isByTokens ? t.inAndOut(usd('input'), usd(figure.unit)) : usd(figure.unit)}
      </span>
      <span className="text-sm text-muted">
        {isByTokens ? t.perMillion : `USD ${labelOf(t.units, figure.unit)}`}
        {hint && <> · {hint}</>}
      </span>
    </span>
  )
}
