// Prices and margins in a few characters.

import { useLanguage, useTexts } from '../../../../i18n/language.tsx'
import { classes } from '../../../../ui/classes.ts'
import { Icon } from '../../../../ui/icons.tsx'
import { formatUsd, usePercent } from '../../../../ui/values.tsx'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { type Figures, figuresOf, type ModelType, mainFigures, type Price } from './price-values.ts'

/** What a path is called: `Cached input`, `Service tier priority`. */
export function useFigureName(): (path: string) => string {
  const { figures, priceNames } = useTexts().models
  const t = useOperateTexts().models
  return (path) => {
    const [first = '', ...rest] = path.split('.')
    const name = rest.join('.')
    if (name === '') return figures[first] ?? first.replaceAll('_', ' ')
    if (first === 'tiers') return priceNames.tier(name)
    if (first === 'tools') return t.tool(name)
    return first === 'variants' ? name : `${t.parts[first] ?? first}: ${figures[name] ?? name}`
  }
}

/** The unit of a price: `per image`; undefined: a million tokens. */
export function usePriceUnit(): (type: ModelType, price: Price | null | undefined) => string | undefined {
  const { units } = useTexts().models
  return (type, price) => {
    if (!price) return undefined
    const [first = ''] = mainFigures(type, figuresOf(price))
    return first.startsWith('per_') ? units[first] : undefined
  }
}

type ShortPriceProps = { type: ModelType; price: Price | null | undefined; unit?: string | undefined }

/** `2.00 / 8.00`, with what it is for. */
export function ShortPrice({ type, price, unit }: ShortPriceProps) {
  const { locale } = useLanguage()
  const name = useFigureName()
  if (!price) return <>{'\u2013'}</>
  const figures = figuresOf(price)
  const shown = mainFigures(type, figures)
  return (
    <span className="whitespace-nowrap tabular-nums" title={shown.map(name).join(' / ')}>
      {shown.map((path) => formatUsd(figures[path] ?? '0.00', locale)).join(' / ')}
      {unit !== undefined && <span className="block text-xs text-muted">{unit}</span>}
    </span>
  )
}

/** The costs by the figures that say most. undefined: not known. */
export function CostFigures({ type, costs }: { type: ModelType; costs: Figures | undefined }) {
  const t = useOperateTexts().models
  if (!costs) return <span className="text-muted">{t.unknown}</span>
  return <ShortPrice type={type} price={costs} />
}

/** A loss has a sign, a colour and an icon. */
export function Margin({ percent }: { percent: number | string | null | undefined }) {
  const shown = usePercent()
  const t = useOperateTexts().models
  if (percent === null || percent === undefined) return <span className="text-muted">{t.unknown}</span>
  const value = Number(percent)
  return (
    <span className={classes('inline-flex items-center gap-1 whitespace-nowrap tabular-nums', value < 0 && 'text-bad')}>
      {value < 0 && <Icon name="warning" />}
      {shown(value / 100, [1, 1])}
    </span>
  )
}
