// One model: what it costs and earns, who may call it, where requests go, and what was changed.

import { useState } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { PriceTable } from '../../../pages/models/price-table.tsx'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Facts, Part } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import { Amount, useNumber } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pageLink } from '../../links.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { useDeleteAct } from './acts.tsx'
import { Problems } from './columns.tsx'
import { ModelForm } from './form.tsx'
import { History } from './history.tsx'
import { type ModelRow, typeOf } from './inline-price.tsx'
import { Margin } from './prices/figures.tsx'
import { marginOf } from './prices/price-values.ts'
import { RouteLanes, RoutePreview } from './routes.tsx'
import { LockBanner, usePlaceOf } from './source.tsx'

export function ModelDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useOperateTexts().models
  const words = useWords()
  const [isEditing, setEditing] = useState(false)
  const remove = useDeleteAct()
  const query = useAdmin('models', { model: id })
  const model = query.data?.data[0]
  const isStored = model && (!model.read_only || model.shadowed !== null)
  if (isEditing && model) return <ModelForm subject={model} onClose={() => setEditing(false)} />
  return (
    <DetailDrawer
      onClose={onClose}
      title={id}
      query={{ ...query, data: query.data && (model ?? null) }}
      none={{ title: t.gone }}
      footer={
        <>
          <ActButton
            permission="configuration"
            icon="trash"
            disabled={!isStored}
            onClick={() => void remove(id).then((isGone) => isGone && onClose())}
          >
            {words('model delete').action}
          </ActButton>
          <ActButton
            permission="money"
            variant="primary"
            icon="edit"
            disabled={!model || model.read_only}
            onClick={() => setEditing(true)}
          >
            {t.edit}
          </ActButton>
        </>
      }
    >
      {(found) => <Details model={found} />}
    </DetailDrawer>
  )
}

/** What was earned, if the cost of every request is known. */
const earnedOf = ({ charged_usd, upstream_cost_usd, unknown_costs }: ModelRow['last_7_days']): number | undefined =>
  unknown_costs === 0 ? marginOf(charged_usd, upstream_cost_usd) : undefined

function Details({ model }: { model: ModelRow }) {
  const t = useOperateTexts().models
  const { types } = useTexts().models
  const number = useNumber()
  const place = usePlaceOf()
  const { effective, problems, last_7_days: used } = model
  return (
    <>
      <LockBanner entry={model} />
      {model.invalid?.map((mistake) => (
        <Banner key={mistake} tone="bad">
          {mistake}
        </Banner>
      ))}
      {model.shadowed && <Banner tone="warn">{t.shadowed}</Banner>}
      {!model.invalid && effective?.price === null && <Banner tone="bad">{t.noPriceText}</Banner>}
      <Facts
        items={[
          { label: t.columns.type, value: types[typeOf(model)] ?? typeOf(model) },
          { label: t.source.label, value: place(model) },
          ...(problems.length > 0 ? [{ label: t.columns.state, value: <Problems problems={problems} /> }] : []),
          {
            label: t.columns.used,
            value: (
              <Link href={pageLink('requests', { model: model.id })} className="text-link underline">
                {t.requests(used.requests, number(used.requests))}, <Amount usd={used.charged_usd} />
              </Link>
            ),
          },
          ...(used.upstream_cost_usd === undefined
            ? []
            : [
                {
                  label: t.usedCost,
                  value: (
                    <>
                      <Amount usd={used.upstream_cost_usd} />
                      {(used.unknown_costs ?? 0) > 0 && (
                        <span className="text-muted"> {t.unknownCosts(number(used.unknown_costs ?? 0))}</span>
                      )}
                    </>
                  ),
                },
                { label: t.usedMargin, value: <Margin percent={earnedOf(used)} /> },
                { label: t.listMargin, value: <Margin percent={model.margin_percent} /> },
              ]),
        ]}
      />
      {effective && (
        <>
          <Part title={t.prices}>
            {effective.offers.length > 0 ? (
              <PriceTable prices={effective.offers as Parameters<typeof PriceTable>[0]['prices']} />
            ) : effective.price ? (
              <>
                <p className="text-muted">{t.noGroupText}</p>
                <PriceTable
                  prices={[{ group: '*', price: effective.price }] as Parameters<typeof PriceTable>[0]['prices']}
                />
              </>
            ) : (
              <p className="text-muted">{t.noPrice}</p>
            )}
          </Part>
          <Part title={t.columns.routes} text={t.routes.text}>
            <RouteLanes model={model} />
          </Part>
          <Part title={t.preview.title} text={t.preview.text}>
            <RoutePreview model={model} />
          </Part>
        </>
      )}
      <Part title={t.history.title}>
        <History of={`model/${model.id}`} revision={model.source.revision} />
      </Part>
    </>
  )
}
