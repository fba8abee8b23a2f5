// Models and groups with the price that a key of the group pays in each cell. On small screens each model is a card with its groups.

import { useCallback } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { Section } from '../../../ui/page.tsx'
import { SearchField } from '../../../ui/search.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { AdminList } from '../../ui/list.tsx'
import { type ModelRow, typeOf } from '../models/inline-price.tsx'
import { Margin, ShortPrice, usePriceUnit } from '../models/prices/figures.tsx'
import { figuresOf, firstCosts, mainFigures, marginOf, type Price } from '../models/prices/price-values.ts'
import type { GroupRow } from './form.tsx'

/** The margin, if the group pays less than the routes that are tried first cost. Not known to those who may not see costs. */
function lossOf(model: ModelRow, price: Price): number | undefined {
  const costs = firstCosts(model.effective?.routes ?? [])
  const figures = figuresOf(price)
  const margins = mainFigures(typeOf(model), figures).flatMap((path) => marginOf(figures[path], costs?.[path]) ?? [])
  const lowest = Math.min(...margins)
  return lowest < 0 ? lowest : undefined
}

const FILTERS = { search: '', after: '' }

export function Matrix({ groups }: { groups: readonly GroupRow[] | undefined }) {
  const t = useOperateTexts().groups.matrix
  const [{ search }, setFilters] = useUrlState(FILTERS)
  const setSearch = useCallback((typed: string) => setFilters({ search: typed, after: '' }), [setFilters])
  const { perMillionTokens } = useTexts().models
  const priceUnit = usePriceUnit()
  const unitOf = (model: ModelRow, price: Price | null | undefined) =>
    price ? (priceUnit(typeOf(model), price) ?? perMillionTokens) : undefined
  /** That of the model's own price; a group may sell it by another. */
  const unitIn = (model: ModelRow) => unitOf(model, (model.price as Price | null) ?? model.effective?.offers[0]?.price)
  const columns: Column<ModelRow>[] = [
    {
      id: 'model',
      label: t.model,
      skeleton: 'w-40',
      cell: (model) => (
        <span className="flex flex-col items-start">
          <Link href={LINKS.model(model.id)} className="font-mono text-sm wrap-anywhere hover:underline">
            {model.id}
          </Link>
          <span className="text-xs text-muted">{unitIn(model)}</span>
        </span>
      ),
    },
    ...(groups ?? []).map(
      ({ id, multiplier }): Column<ModelRow> => ({
        id,
        label: t.head(id, String(multiplier ?? 1)),
        align: 'right',
        cell: (model) => {
          const offer = model.effective?.offers.find(({ group }) => group === id)
          if (!offer) return <span className="text-muted">{'\u2013'}</span>
          const loss = lossOf(model, offer.price)
          const unit = unitOf(model, offer.price)
          return (
            <span className="inline-flex flex-col items-end">
              <ShortPrice type={typeOf(model)} price={offer.price} unit={unit === unitIn(model) ? undefined : unit} />
              {loss !== undefined && (
                <span className="text-xs" title={t.belowCost}>
                  <Margin percent={loss} />
                  <span className="sr-only">{t.belowCost}</span>
                </span>
              )}
              {offer.has_own_price && <span className="text-xs text-muted">{t.own}</span>}
            </span>
          )
        },
      }),
    ),
  ]
  return (
    <Section
      flush
      title={t.title}
      text={t.text}
      actions={<SearchField label={t.search} value={search} onChange={setSearch} />}
    >
      <AdminList
        path="models"
        params={{ search, order: 'attention' }}
        label={t.title}
        columns={columns}
        enabled={groups !== undefined}
        empty={<EmptyState title={search === '' ? t.none : t.empty} />}
      />
    </Section>
  )
}
