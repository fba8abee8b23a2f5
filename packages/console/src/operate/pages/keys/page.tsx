// The keys of all accounts, with views of those that need a look.

import { useCallback } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Segments } from '../../../ui/form/choices.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { SearchField } from '../../../ui/search.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import type { Params } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { Filters } from '../../ui/filters.tsx'
import { CsvLink } from '../../ui/list.tsx'
import { KeyList } from './key-list.tsx'

const FILTERS = { view: 'active', search: '', account: '', group: '', last_four: '', made_by: '', after: '' }
const VIEWS = ['active', 'unused', 'never', 'noCap', 'noExpiry', 'capNearlySpent', 'all'] as const
type View = (typeof VIEWS)[number]
const DAY_MS = 86_400_000
const UNUSED_DAYS = 90

const paramsOf = (view: View): Params<'GET', 'keys'> => {
  // A whole day, so that the list is the same one while it is on screen.
  const since = new Date(Math.floor(Date.now() / DAY_MS - UNUSED_DAYS) * DAY_MS).toISOString()
  const state = 'active'
  return {
    active: { state },
    unused: { state, unused_since: since },
    never: { state, never_used: 'true' },
    noCap: { state, has_cap: 'false' },
    noExpiry: { state, has_expiry: 'false' },
    capNearlySpent: { state, cap_used_percent: '90' },
    all: {},
  }[view]
}

export default function KeysPage() {
  const t = useOperateTexts().keys
  const [filters, setFilters] = useUrlState(FILTERS)
  const { search, account, group, last_four, made_by } = filters
  const view = VIEWS.find((each) => each === filters.view) ?? 'active'
  const params = { ...paramsOf(view), search, account, group, last_four, made_by }
  const onSearch = useCallback((next: string) => setFilters({ search: next, after: '' }), [setFilters])
  const isFiltered = view !== 'active' || [search, account, group, last_four, made_by].some((value) => value !== '')
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#keys"
        actions={<CsvLink path="keys" params={params} />}
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchField label={t.search} value={search} onChange={onSearch} />
        <Filters
          fields={[
            { name: 'account', label: t.account, placeholder: t.accountHint },
            { name: 'group', label: t.group },
            { name: 'last_four', label: t.lastFour },
            { name: 'made_by', label: t.madeBy, placeholder: 'ada@example.com' },
          ]}
        />
      </div>
      <div className="mb-4">
        <Segments
          label={t.view}
          value={view}
          onChange={(next) => setFilters({ view: next, after: '' })}
          options={VIEWS.map((value) => ({ value, label: t.views[value] }))}
        />
      </div>
      <KeyList
        params={params}
        empty={
          isFiltered ? (
            <EmptyState title={t.none} action={<Button onClick={() => setFilters(FILTERS)}>{t.clear}</Button>} />
          ) : (
            <EmptyState title={t.empty}>{t.emptyText}</EmptyState>
          )
        }
      />
    </>
  )
}
