import type { ModelRow } from '@trivium/gateway/console-api/types.ts'
import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Segments, SelectField } from '../../ui/field.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search.tsx'
import { Badge, EmptyState, ErrorState } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { Duration, useNumber } from '../../ui/values.tsx'
import { chosenModels, OTHER, vendorsOf } from './choose.ts'
import { ModelDrawer } from './model.tsx'
import { useShortPrice } from './price.tsx'

const FILTERS = { name: '', type: '', vendor: '', sort: 'name', model: '' }

export default function ModelsPage() {
  const t = useTexts().models
  const number = useNumber()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { data, error, refetch } = useRead('models', {}, { every: 60_000, staleTime: 30_000 })
  const columns = useColumns()
  const shown = data && chosenModels(data, filters)
  return (
    <>
      <PageHeader title={t.title} text={t.text} />
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <SearchField label={t.search} value={filters.name} onChange={(name) => setFilters({ name })} />
        <Segments
          label={t.type}
          value={filters.type}
          onChange={(type) => setFilters({ type })}
          options={(['', 'text', 'image', 'video'] as const).map((value) => ({
            value,
            label: t.types[value || 'all'],
          }))}
        />
        <SelectField
          label={t.vendor}
          hideLabel
          value={filters.vendor}
          onChange={(vendor) => setFilters({ vendor })}
          options={[
            { value: '', label: t.allVendors },
            ...vendorsOf(data ?? []).map((value) => ({ value, label: value === OTHER ? t.otherVendors : value })),
          ]}
        />
        <SelectField
          label={t.sort}
          hideLabel
          value={filters.sort}
          onChange={(sort) => setFilters({ sort })}
          options={Object.entries(t.sorts).map(([value, label]) => ({ value, label: `${t.sort}: ${label}` }))}
        />
      </div>
      <Section flush>
        {error && !data ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <Table
            label={t.title}
            columns={columns}
            rows={shown}
            rowKey={(row) => row.id}
            onOpen={(row) => setFilters({ model: row.id }, { replace: false })}
            isSelected={(row) => row.id === filters.model}
            empty={
              data?.length === 0 ? (
                <EmptyState title={t.none}>{t.noneText}</EmptyState>
              ) : (
                <EmptyState
                  title={t.empty}
                  action={
                    <Button onClick={() => setFilters({ name: '', type: '', vendor: '' })}>{t.emptyAction}</Button>
                  }
                />
              )
            }
          />
        )}
      </Section>
      <p aria-live="polite" className="text-sm text-muted">
        {shown && t.count(number(shown.length))}
      </p>
      <ModelDrawer model={data?.find(({ id }) => id === filters.model)} onClose={() => setFilters({ model: '' })} />
    </>
  )
}

function useColumns(): Column<ModelRow>[] {
  const t = useTexts().models
  const number = useNumber()
  const shortPrice = useShortPrice()
  return [
    { id: 'model', label: t.model, cell: (row) => <span className="font-mono text-sm break-all">{row.id}</span> },
    { id: 'copy', label: t.id, control: 'icon', cell: (row) => <CopyButton text={row.id} label={row.id} /> },
    { id: 'type', label: t.type, cell: (row) => <Badge>{t.types[row.type]}</Badge> },
    { id: 'vendor', label: t.vendor, cell: (row) => row.vendor ?? '\u2013' },
    { id: 'price', label: t.price, cell: (row) => shortPrice(row) },
    {
      id: 'context',
      label: t.context,
      align: 'right',
      cell: (row) => (typeof row.limits.context === 'number' ? number(row.limits.context) : '\u2013'),
    },
    { id: 'speed', label: t.speed, align: 'right', cell: (row) => <Duration ms={row.median_first_token_ms} /> },
  ]
}
