import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { ChosenDays, PeriodPresets, usePeriod } from '../../../pages/usage/period-choice.tsx'
import { inDays } from '../../../pages/usage/range.ts'
import type { Measure } from '../../../pages/usage/series.ts'
import { SetField } from '../../../pages/usage/set-field.tsx'
import { Segments } from '../../../ui/form/choices.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { isZero, useNumber } from '../../../ui/values.tsx'
import { useAccountChoices, useModelChoices, useUpstreamChoices } from '../../api/choices.ts'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { SumsChart } from '../../sums/chart.tsx'
import {
  DIMENSIONS,
  type Dimension,
  groupText,
  isAttributed,
  isTime,
  MOST_ROWS,
  requestsHref,
  type SumsFilter,
  useGroups,
  useTotals,
} from '../../sums/sums.ts'
import { type MoneyColumn, SumsTable } from '../../sums/table.tsx'
import { type Figure, Totals } from '../../sums/totals.tsx'
import { Filters } from '../../ui/filters.tsx'
import { CsvLink } from '../../ui/list.tsx'
import { useMay } from '../../ui/permissions.ts'

const FIELDS = { account: '', key: '', model: '', upstream: '', outcome: '', tag: '', end_user: '' }
const DEFAULTS = { by: 'account', second: '', name: '', sort: '-charged', measure: 'spend', ...FIELDS }
const NAMES_MS = 60_000
const MEASURES: readonly Measure[] = ['spend', 'tokens', 'requests']
/** What the groups of the chart are the largest of. */
const LARGEST: Readonly<Record<Measure, string>> = { spend: '-charged', tokens: '-tokens', requests: '-requests' }

export default function UsagePage() {
  const t = useOperateTexts().usage
  const { dimensions, shortfall } = useOperateTexts().sums
  const { usage } = useTexts()
  const may = useMay()
  const number = useNumber()
  const seesCosts = may('see_costs')
  const chosen = usePeriod()
  const [url, setUrl] = useUrlState(DEFAULTS)
  const by = dimensionOf(url.by) ?? 'account'
  const second = excludes(by, url.second) ? undefined : dimensionOf(url.second)
  const groups = second ? [by, second] : [by]
  const measure = MEASURES.find((each) => each === url.measure) ?? 'spend'
  const sorts = (Object.keys(t.sorts) as (keyof typeof t.sorts)[]).filter(
    (each) => seesCosts || !each.endsWith('margin'),
  )
  const sort = sorts.find((each) => each === url.sort) ?? '-charged'
  const { account, key, model, upstream, outcome, name } = url
  // Sums are kept by one of the two: what is grouped by goes before what is filtered by.
  const tag = groups.includes('end_user') ? '' : url.tag
  const end_user = groups.includes('tag') || tag !== '' ? '' : url.end_user
  const isInDays = groups.some(isAttributed) || tag !== '' || end_user !== ''
  const period = isInDays ? inDays(chosen) : chosen
  const { data: owner } = useAdmin('accounts/{account}', { account }, { enabled: account !== '', staleTime: NAMES_MS })
  const { data: used } = useAdmin('keys/{key}', { key }, { enabled: key !== '', staleTime: NAMES_MS })
  const filter: SumsFilter = { account, key, model, upstream, outcome, tag, end_user }
  const { now, before, error, refetch } = useTotals(period, filter)
  const { rows } = useGroups(period, groups, filter, sort, name)
  const { rows: charted } = useGroups(period, [by], filter, LARGEST[measure], name)
  const isByDay = groups.length === 1 && isTime(by)
  const figures: Figure[] = [
    { label: usage.total.spend, of: (sums) => sums.charged_usd },
    {
      label: usage.total.requests,
      of: (sums) => sums.requests,
      show: ({ requests }) => (
        <Link href={requestsHref(period, filter)} className="underline">
          {number(requests)}
        </Link>
      ),
    },
    { label: usage.total.tokens, of: (sums) => sums.tokens },
    ...(now && !isZero(now.shortfall_usd ?? '0')
      ? [{ label: shortfall, of: (sums: typeof now) => sums.shortfall_usd }]
      : []),
  ]
  const columns: MoneyColumn[] = ['charged', ...(seesCosts ? (['cost', 'margin'] as const) : []), 'requests', 'tokens']
  const csv = { group_by: groupText(groups, name), from: period.from, to: period.to, ...filter }
  const choices = DIMENSIONS.map((value) => ({ value, label: dimensions[value] }))
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#usage"
        actions={
          <>
            <PeriodPresets period={chosen} />
            <CsvLink path="usage" params={csv} />
          </>
        }
      />
      <div className="mb-4 grid grid-cols-2 items-end gap-3 wide:grid-cols-4">
        <SelectField label={t.by} value={by} onChange={(value) => setUrl({ by: value })} options={choices} />
        <SelectField
          label={t.second}
          value={second ?? ''}
          onChange={(value) => setUrl({ second: value })}
          options={[{ value: '', label: t.nothing }, ...choices.filter(({ value }) => !excludes(by, value))]}
        />
        <SelectField
          label={t.sort}
          value={sort}
          disabled={isByDay}
          onChange={(value) => setUrl({ sort: value })}
          options={sorts.map((value) => ({ value, label: t.sorts[value] }))}
        />
        <ChosenDays />
        {groups.includes('tag') && (
          <SetField label={usage.filters.tagName} hint={usage.filters.tagNameHint} name="name" />
        )}
      </div>
      {isInDays && (
        <p className="mb-4 text-sm text-muted">
          {[usage.inDays, ...(groups.includes('tag') ? [usage.severalTags] : [])].join(' ')}
        </p>
      )}
      <div className="mb-4">
        <Filters
          fields={[
            {
              name: 'account',
              label: t.filters.account,
              useChoices: useAccountChoices,
              ...(owner ? { shown: owner.name } : {}),
            },
            { name: 'key', label: t.filters.key, placeholder: t.keyHint, ...(used ? { shown: used.name } : {}) },
            { name: 'model', label: t.filters.model, useChoices: useModelChoices },
            { name: 'upstream', label: t.filters.upstream, useChoices: useUpstreamChoices },
            { name: 'tag', label: dimensions.tag, placeholder: 'team=search' },
            { name: 'end_user', label: dimensions.end_user },
            {
              name: 'outcome',
              label: t.filters.outcome,
              options: Object.entries(usage.outcomes)
                .filter(([value]) => value !== 'running')
                .map(([value, label]) => ({ value, label })),
            },
          ]}
        />
      </div>
      {error && !now ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <>
          <Totals figures={figures} now={now} before={before} />
          <Section
            title={usage[measure]}
            actions={
              <Segments
                label={usage.measure}
                value={measure}
                onChange={(value) => setUrl({ measure: value })}
                options={MEASURES.map((value) => ({ value, label: usage[value] }))}
              />
            }
          >
            <SumsChart period={period} measure={measure} by={by} filter={filter} rows={charted} />
          </Section>
          <Section
            flush
            title={t.groups}
            {...(rows?.length === MOST_ROWS && !isByDay ? { text: t.largest(MOST_ROWS) } : {})}
          >
            <SumsTable
              label={t.groups}
              period={period}
              by={groups}
              filter={filter}
              columns={columns}
              rows={rows}
              total={now}
            />
          </Section>
        </>
      )}
    </>
  )
}

/** Also of a tag and an end user, by which sums are not kept together. */
const excludes = (by: Dimension, other: string): boolean => by === other || (isAttributed(by) && isAttributed(other))

const dimensionOf = (name: string): Dimension | undefined => DIMENSIONS.find((each) => each === name)
