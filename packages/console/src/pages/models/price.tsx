import type { ModelRow } from '../../api/types.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { formatUsd } from '../../ui/values.tsx'
import { DEFAULT_GROUP, differs, labelOf, usualOf } from './prices.ts'

/**
 * What most keys pay, with its unit. It tells whose price it is if groups pay different ones, or if the usual
 * group does not offer the model.
 */
export function ShortPrice({ model, shared }: { model: ModelRow; shared: string | undefined }) {
  const { locale } = useLanguage()
  const unitOf = useUnit()
  const t = useTexts().models
  const usual = usualOf(model)
  if (!usual?.figure) return <>{'\u2013'}</>
  const { price, figure } = usual
  const usd = (name: string) => formatUsd(String(price[name] ?? '0.00'), locale)
  const isByTokens = 'input' in price
  const unit = unitOf(model)
  return (
    <span className="inline-flex flex-col cards:items-end">
      <span className="rows:whitespace-nowrap">
        {isByTokens ? t.inAndOut(usd('input'), usd(figure.unit)) : usd(figure.unit)}
      </span>
      {unit !== shared && <span className="text-sm text-muted">{unit}</span>}
    </span>
  )
}

/** What a price is of, and whose it is. */
function useUnit(): (model: ModelRow) => string {
  const t = useTexts().models
  return (model) => {
    const usual = usualOf(model)
    if (!usual?.figure) return ''
    const groups = model.prices.map((each) => each.group)
    const isByTokens = 'input' in usual.price
    const hint = differs(model)
      ? t.ofGroup(usual.group)
      : groups.includes(DEFAULT_GROUP)
        ? ''
        : t.onlyIn(groups.join(', '))
    return [isByTokens ? t.perMillion : `USD ${labelOf(t.units, usual.figure.unit)}`, hint].filter(Boolean).join(' · ')
  }
}

/** Said once, above the table, if it is the same of most models. */
export function useSharedUnit(models: readonly ModelRow[]): string | undefined {
  const unitOf = useUnit()
  const units = models.map(unitOf)
  const countOf = (unit: string): number => units.filter((each) => each === unit).length
  return [...new Set(units)].find((unit) => unit !== '' && countOf(unit) > 1 && countOf(unit) * 2 > units.length)
}
