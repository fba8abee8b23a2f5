import { Fragment } from 'react'
import type { ModelRow } from '../../api/types.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { formatUsd, useNumber } from '../../ui/values.tsx'
import { type Line, priceBlocks } from './price-lines.ts'

/** Every figure of the price, with a column for each of the reader's groups. */
export function PriceTable({ prices }: { prices: ModelRow['prices'] }) {
  const t = useLanguage().texts.models
  const number = useNumber()
  const groups = prices.map(({ group }) => group)
  const blocks = priceBlocks(
    prices.map(({ price }) => price),
    { ...t.priceNames, figures: t.figures, above: (tokens) => t.priceNames.above(number(tokens)) },
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="overflow-x-auto" aria-label={t.prices} tabIndex={0}>
      <table className="w-full">
        <thead>
          <tr>
            <th scope="col" className="py-1 pr-4 text-left text-sm font-medium text-muted">
              {prices.some(({ price }) => 'input' in price) ? t.perMillion : 'USD'}
            </th>
            {groups.map((group) => (
              <th key={group} scope="col" className="py-1 pl-4 text-right text-sm font-medium text-muted">
                {t.group(group)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {blocks.map(({ title, lines }) => (
            <Fragment key={title}>
              {title !== '' && (
                <tr>
                  <th scope="rowgroup" colSpan={groups.length + 1} className="pt-3 pb-1 text-left text-sm font-medium">
                    {title}
                  </th>
                </tr>
              )}
              {lines.map((line) => (
                <Row key={line.label} line={line} groups={groups} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ line: { label, values }, groups }: { line: Line; groups: readonly string[] }) {
  const { locale } = useLanguage()
  return (
    <tr className="border-t">
      <th scope="row" className="py-1 pr-4 text-left font-normal text-muted">
        {label}
      </th>
      {groups.map((group, index) => {
        const value = values[index]
        return (
          <td key={group} className="py-1 pl-4 text-right whitespace-nowrap">
            {value === undefined ? '\u2013' : 'usd' in value ? formatUsd(value.usd, locale) : `× ${value.times}`}
          </td>
        )
      })}
    </tr>
  )
}
