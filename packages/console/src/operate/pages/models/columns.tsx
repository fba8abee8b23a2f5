import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { Badge } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useNumber } from '../../../ui/values.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pageLink } from '../../links.ts'
import { useMay } from '../../ui/permissions.ts'
import { InlinePrice, type ModelRow, typeOf } from './inline-price.tsx'
import { CostFigures, Margin } from './prices/figures.tsx'
import { firstCosts, type Price } from './prices/price-values.ts'
import { Lock } from './source.tsx'

export function useModelColumns(onPrice: (model: ModelRow, price: Price) => void): Column<ModelRow>[] {
  const t = useOperateTexts().models
  const { types } = useTexts().models
  const number = useNumber()
  const seesCosts = useMay()('see_costs')
  const columns: (Column<ModelRow> | false)[] = [
    {
      id: 'model',
      line: 1,
      label: t.columns.model,
      skeleton: 'w-40',
      cell: (model) => (
        <span className="flex min-w-0 flex-col items-start">
          <span className="font-mono text-sm wrap-anywhere">{model.id}</span>
          <Lock entry={model} />
        </span>
      ),
    },
    {
      id: 'state',
      line: 2,
      label: t.columns.state,
      cell: ({ problems }) =>
        problems.length === 0 ? <span className="sr-only">{t.noProblems}</span> : <Problems problems={problems} />,
    },
    { id: 'type', drop: 940, label: t.columns.type, cell: (model) => types[typeOf(model)] ?? typeOf(model) },
    {
      id: 'price',
      line: 2,
      label: t.columns.price,
      align: 'right',
      cell: (model) => <InlinePrice model={model} onSave={(price) => onPrice(model, price)} />,
    },
    seesCosts && {
      id: 'cost',
      drop: 700,
      label: t.columns.cost,
      align: 'right',
      cell: (model) =>
        model.effective ? <CostFigures type={typeOf(model)} costs={firstCosts(model.effective.routes)} /> : null,
    },
    seesCosts && {
      id: 'margin',
      drop: 660,
      label: t.columns.margin,
      align: 'right',
      cell: ({ margin_percent, effective }) => (effective ? <Margin percent={margin_percent} /> : null),
    },
    {
      id: 'routes',
      drop: 880,
      label: t.columns.routes,
      cell: ({ effective }) => (effective ? <RouteNames routes={effective.routes} /> : null),
    },
    {
      id: 'groups',
      drop: 1000,
      label: t.columns.groups,
      align: 'right',
      cell: ({ id, effective }) =>
        effective ? (
          <Link
            href={pageLink('groups', { search: id })}
            aria-label={t.groupsOf(id, number(effective.offers.length))}
            className="hover:underline"
          >
            {number(effective.offers.length)}
          </Link>
        ) : null,
    },
    {
      id: 'used',
      drop: 720,
      label: t.columns.used,
      usd: ({ last_7_days: { requests, charged_usd } }) => (requests === 0 ? null : charged_usd),
      cell: ({ id, last_7_days: { requests } }, amount) =>
        requests === 0 ? null : (
          <Link href={pageLink('requests', { model: id })} className="hover:underline">
            {amount}
            <span className="block text-sm text-muted">{t.requests(requests, number(requests))}</span>
          </Link>
        ),
    },
  ]
  return columns.filter((column) => column !== false)
}

const SEVERE = new Set(['invalid', 'no_price', 'no_route'])

export function Problems({ problems }: { problems: ModelRow['problems'] }) {
  const t = useOperateTexts().models
  return (
    <span className="inline-flex flex-wrap gap-1 cards:justify-end">
      {problems.map((problem) => (
        <Badge key={problem} tone={SEVERE.has(problem) ? 'bad' : 'warn'}>
          {t.problems[problem]}
        </Badge>
      ))}
    </span>
  )
}

type Routes = NonNullable<ModelRow['effective']>['routes']

/** Where requests go first; what follows is counted. */
function RouteNames({ routes }: { routes: Routes }) {
  const t = useOperateTexts().models
  const inUse = routes.filter(({ weight }) => weight > 0)
  const first = Math.min(...inUse.map(({ priority }) => priority))
  const names = [...new Set(inUse.filter(({ priority }) => priority === first).map(({ upstream }) => upstream))]
  const others = routes.length - inUse.filter(({ priority }) => priority === first).length
  return (
    <span>
      {names.join(', ') || t.noRoute}
      {others > 0 && <span className="text-muted"> {t.moreRoutes(others)}</span>}
    </span>
  )
}
