import { useMemo, useState } from 'react'
import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { SpendSection } from './chart.tsx'
import { FILTERS } from './filters.ts'
import { ChosenDays, PeriodPresets } from './period-choice.tsx'
import { periodOf } from './range.ts'
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
  const { data: models } = useRead('models', {}, { staleTime: 60_000 })
  const { data: keys } = useRead('keys', {}, { staleTime: 60_000 })
  const isOtherKey = key !== '' && keys !== undefined && !keys.items.some(({ id }) => id === key)
  const { from: start, to: end, step } = period
  const { data: ofKey } = useRead('usage', { from: start, to: end, step, by: 'key', key }, { enabled: isOtherKey })
  return (
    <>
      <PageHeader title={t.title} text={t.text} actions={<PeriodPresets period={period} />} />
      <div className="mb-4 grid grid-cols-2 gap-3 full:grid-cols-4">
        <SelectField
          label={t.filters.model}
          value={model}
          onChange={(value) => setFilters({ model: value, before: '' })}
          options={[
            { value: '', label: t.filters.all },
            ...named(model, model, models?.map(({ id }) => ({ value: id, label: id })) ?? []),
          ]}
        />
        <SelectField
          label={t.filters.key}
          hint={keys?.next ? t.filters.newestKeys(keys.items.length) : undefined}
          value={key}
          onChange={(value) => setFilters({ key: value, before: '' })}
          options={[
            { value: '', label: t.filters.all },
            ...named(
              key,
              ofKey?.points[0]?.label ?? key,
              keys?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [],
            ),
          ]}
        />
        <ChosenDays />
      </div>
      <SpendSection period={period} />
      <RequestsSection period={period} />
      <ReceiptDrawer id={request} onClose={() => setFilters({ request: '' })} />
    </>
  )
}

/** A model that is no longer offered, or one of very many keys, is not listed, but stays in the filter that names it. */
const named = (value: string, label: string, options: { value: string; label: string }[]) =>
  value === '' || options.some((option) => option.value === value) ? options : [...options, { value, label }]
