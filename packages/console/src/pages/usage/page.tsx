import { useMemo, useState } from 'react'
import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Segments, SelectField } from '../../ui/field.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { SpendSection } from './chart.tsx'
import { FILTERS } from './filters.ts'
import { periodOf, RANGES } from './range.ts'
import { ReceiptDrawer } from './receipt.tsx'
import { RequestsSection } from './requests.tsx'

const MINUTE_MS = 60_000

export default function UsagePage() {
  const t = useTexts().usage
  const [filters, setFilters] = useUrlState(FILTERS)
  const { range, from, to, model, key, request } = filters
  const [now] = useState(Date.now)
  // The period moves on with the clock, but not with every rendering.
  const minute = Math.floor(Math.max(now, Date.now()) / MINUTE_MS)
  const period = useMemo(() => periodOf(range, from, to, minute * MINUTE_MS), [range, from, to, minute])
  const isChosen = from !== '' && to !== ''
  const ranges = [...(isChosen ? (['custom'] as const) : []), ...RANGES]
  const { data: models } = useRead('models', {}, { staleTime: 60_000 })
  const { data: keys } = useRead('keys', {}, { staleTime: 60_000 })
  return (
    <>
      <PageHeader
        title={t.title}
        actions={
          <Segments
            label={t.range}
            value={isChosen ? 'custom' : range}
            onChange={(value) =>
              setFilters({ range: value === 'custom' ? range : value, from: '', to: '', before: '' })
            }
            options={ranges.map((value) => ({ value, label: t.ranges[value] }))}
          />
        }
      />
      <div className="mb-4 grid gap-3 wide:grid-cols-3">
        <SelectField
          label={t.filters.model}
          value={model}
          onChange={(value) => setFilters({ model: value, before: '' })}
          options={[
            { value: '', label: t.filters.all },
            ...named(model, models?.map(({ id }) => ({ value: id, label: id })) ?? []),
          ]}
        />
        <SelectField
          label={t.filters.key}
          value={key}
          onChange={(value) => setFilters({ key: value, before: '' })}
          options={[
            { value: '', label: t.filters.all },
            ...named(key, keys?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []),
          ]}
        />
        <SelectField
          label={t.filters.outcome}
          value={filters.ending}
          onChange={(value) => setFilters({ ending: value, before: '' })}
          options={[
            { value: '', label: t.filters.all },
            ...Object.entries(t.endings).map(([value, label]) => ({ value, label })),
          ]}
        />
      </div>
      <SpendSection period={period} />
      <RequestsSection period={period} />
      <ReceiptDrawer id={request} onClose={() => setFilters({ request: '' })} />
    </>
  )
}

/** A model or key that is no longer listed stays in the filter that names it. */
const named = (value: string, options: { value: string; label: string }[]) =>
  value === '' || options.some((option) => option.value === value) ? options : [...options, { value, label: value }]
