// Where requests of a model go: lanes by priority, and what would happen to a request now.

import { useState } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Badge, Banner, Skeleton } from '../../../ui/states.tsx'
import { Bar, Time, useNumber } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { type ModelRow, typeOf } from './inline-price.tsx'
import { Margin, ShortPrice } from './prices/figures.tsx'

/** The lowest priority is tried first; within a lane, weights are shares. */
export function RouteLanes({ model }: { model: ModelRow }) {
  const t = useOperateTexts().models.routes
  const number = useNumber()
  const all = model.effective?.routes ?? []
  const priorities = [...new Set(all.map(({ priority }) => priority))].sort((one, other) => one - other)
  return (
    <div className="flex flex-col gap-3">
      {priorities.map((priority, index) => {
        const routes = all.filter((route) => route.priority === priority)
        const sum = routes.reduce((total, { weight }) => total + weight, 0)
        return (
          <section key={priority} aria-label={t.lane(priority)} className="rounded-md border">
            <h4 className="border-b px-3 py-1 text-sm font-medium text-muted">
              {t.lane(priority)} · {index === 0 ? t.first : t.later}
            </h4>
            <ul className="divide-y">
              {routes.map((route) => {
                const share = sum === 0 ? 0 : route.weight / sum
                const percent = number(share, { style: 'percent', maximumFractionDigits: 1 })
                return (
                  <li key={`${route.upstream} ${route.model}`} className="flex flex-col gap-1 px-3 py-2">
                    <div className="flex flex-wrap items-baseline justify-between gap-x-3">
                      <span className="min-w-0 wrap-anywhere">
                        <Link href={LINKS.upstream(route.upstream)} className="text-link underline">
                          {route.upstream}
                        </Link>{' '}
                        <span className="font-mono text-sm text-muted">{route.model}</span>
                      </span>
                      <span className="text-sm tabular-nums">{route.weight === 0 ? t.weightNone : percent}</span>
                    </div>
                    <Bar share={share} label={t.share(route.upstream, percent)} tone="accent" />
                    {route.cost !== undefined && (
                      <div className="flex flex-wrap justify-between gap-x-3 text-sm text-muted">
                        <span>
                          {t.cost}:{' '}
                          {route.cost ? <ShortPrice type={typeOf(model)} price={route.cost} /> : t.costUnknown}
                        </span>
                        {route.margins && (
                          <span>
                            {t.margin}: <Margin percent={lowestOf(route.margins)} />
                          </span>
                        )}
                      </div>
                    )}
                  </li>
                )
              })}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

const lowestOf = (margins: readonly { margin_percent: string | null }[]): number | null => {
  const known = margins.flatMap(({ margin_percent }) => (margin_percent === null ? [] : Number(margin_percent)))
  return known.length === 0 ? null : Math.min(...known)
}

const PROTOCOLS = ['chat', 'responses', 'messages', 'generate-content'] as const

export function RoutePreview({ model }: { model: ModelRow }) {
  const { protocols } = useTexts().snippets
  const t = useOperateTexts().models.preview
  const groups = (model.effective?.offers ?? []).map(({ group }) => group)
  const [group, setGroup] = useState(groups[0] ?? 'default')
  const [protocol, setProtocol] = useState<string>(PROTOCOLS[0])
  const isText = typeOf(model) === 'text'
  const query = useAdmin(
    'models/{model}/route-preview',
    { model: model.id, group, protocol: isText ? protocol : '' },
    { keepPrevious: true },
  )
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label={t.group}
          value={group}
          onChange={setGroup}
          options={(groups.length > 0 ? groups : ['default']).map((value) => ({ value, label: value }))}
        />
        {isText && (
          <SelectField
            label={t.protocol}
            value={protocol}
            onChange={setProtocol}
            options={PROTOCOLS.map((value) => ({ value, label: protocols[value] }))}
          />
        )}
      </div>
      <Loaded query={query} skeleton={<Skeleton size="h-16 w-full" />}>
        {(preview) => <RouteCandidates preview={preview} />}
      </Loaded>
    </div>
  )
}

type Changes = NonNullable<Output<'GET', 'models/{model}/route-preview'>['candidates'][number]['changes']>

/** `-name`: left out; `name?=`: only where the caller has none. */
const namesOf = ({ set, default: usual, drop, headers, system }: Changes, systemText: string): string[] => [
  ...[...set, ...headers.set].map(({ name, value }) => `${name}=${value}`),
  ...[...usual, ...headers.default].map(({ name, value }) => `${name}?=${value}`),
  ...[...drop, ...headers.drop].map((name) => `-${name}`),
  ...(system.before || system.after ? [systemText] : []),
]

/** Every route that was looked at, in order, with the reason for each that is not taken. */
export function RouteCandidates({ preview }: { preview: Output<'GET', 'models/{model}/route-preview'> }) {
  const t = useOperateTexts().models.preview
  const protocols: Readonly<Record<string, string>> = useTexts().snippets.protocols
  const number = useNumber()
  const { rejection, candidates } = preview
  return (
    <>
      {rejection && <Banner tone="bad">{t.rejected(rejection.code, rejection.message)}</Banner>}
      <ol className="divide-y rounded-md border empty:hidden">
        {candidates.map((route) => {
          const state = route.key_states.find(({ reason }) => reason !== null)
          return (
            <li
              key={`${route.model} ${route.upstream} ${route.upstream_model}`}
              className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1 px-3 py-2"
            >
              <span className="min-w-0 wrap-anywhere">
                {route.upstream} <span className="font-mono text-sm text-muted">{route.upstream_model}</span>
                {route.model !== preview.model && (
                  <span className="block text-sm text-muted">{t.fallback(route.model)}</span>
                )}
                <span className="block text-sm text-muted">
                  {route.dialect === null ? t.noDialect : (protocols[route.dialect] ?? route.dialect)}
                  {route.translated === true && ` · ${t.translated}`}
                  {route.translated === false && ` · ${t.passed}`}
                </span>
                {route.changes && (
                  <span className="block text-sm text-muted">
                    {t.changes}: <span className="font-mono">{namesOf(route.changes, t.systemText).join(', ')}</span>
                  </span>
                )}
              </span>
              <span className="text-right text-sm">
                {route.reason === null ? (
                  <span className="tabular-nums">
                    {t.share(number(route.share, { style: 'percent', maximumFractionDigits: 1 }))}
                  </span>
                ) : (
                  <Badge tone="warn">{t.reasons[route.reason] ?? route.reason}</Badge>
                )}
                {state?.until && (
                  <span className="block text-muted">
                    {t.until} <Time at={state.until} style="time" />
                  </span>
                )}
                <span className="block text-muted">{t.keys(number(route.usable_keys), number(route.keys))}</span>
              </span>
            </li>
          )
        })}
      </ol>
    </>
  )
}
