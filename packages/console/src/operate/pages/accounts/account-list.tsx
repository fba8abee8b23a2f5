// All accounts, with what they have, spend and use, and acts on several of them at once.

import { useCallback, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../../../ui/button.tsx'
import { Segments } from '../../../ui/form/choices.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { SearchField } from '../../../ui/search.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { isZero, Time, useNumber } from '../../../ui/values.tsx'
import type { Row, Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { BulkFailures, ChosenBar, useChosen } from '../../ui/choose-rows.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { AccountState } from './account-state.tsx'
import { CreateAccountDialog } from './create-dialog.tsx'
import { BulkCreditDialog } from './credit-dialog.tsx'
import { useAccountActs } from './use-acts.ts'

const FILTERS = { search: '', state: 'all', order: 'newest', after: '' }
const STATES = ['all', 'active', 'disabled', 'deleted'] as const
const ORDERS = ['newest', 'oldest', 'spent', 'balance', 'last_used', 'unused'] as const

export function AccountList() {
  const t = useOperateTexts().accounts
  const words = useWords()
  const [, navigate] = useLocation()
  const [filters, setFilters] = useUrlState(FILTERS)
  const [isCreating, setCreating] = useOpenByAddress('create', 'accounts')
  const [isCrediting, setCrediting] = useState(false)
  const [result, setResult] = useState<Schemas['BulkResult']>()
  const chosen = useChosen<Row<'accounts'>>()
  const acts = useAccountActs()
  const columns = useColumns()
  const state = STATES.find((each) => each === filters.state) ?? 'all'
  const params = { search: filters.search, state: state === 'all' ? '' : state, order: filters.order }
  const onSearch = useCallback((search: string) => setFilters({ search, after: '' }), [setFilters])
  const finish = (done: Schemas['BulkResult'] | undefined) => {
    if (!done) return
    chosen.clear()
    setCrediting(false)
    setResult(done)
  }
  const create = (
    <ActButton permission="accounts" variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {words('account create').action}
    </ActButton>
  )
  return (
    <>
      <PageHeader
        title={t.title}
        help="operate/browser#accounts"
        actions={
          <>
            <CsvLink path="accounts" params={params} />
            {create}
          </>
        }
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SearchField label={t.search} value={filters.search} onChange={onSearch} />
        <Segments
          label={t.state}
          value={state}
          onChange={(next) => setFilters({ state: next, after: '' })}
          options={STATES.map((value) => ({ value, label: t.states[value] }))}
        />
        <SelectField
          hideLabel
          label={t.order}
          value={filters.order}
          onChange={(order) => setFilters({ order, after: '' })}
          options={ORDERS.map((value) => ({ value, label: t.orders[value] }))}
        />
      </div>
      <ChosenBar count={chosen.ids.length} onClear={chosen.clear}>
        <ActButton small permission="money" onClick={() => setCrediting(true)}>
          {t.credit.open}
        </ActButton>
        <ActButton small permission="accounts" onClick={async () => finish(await acts.switchAll(chosen.ids, 'enable'))}>
          {words('account enable').action}
        </ActButton>
        <ActButton
          small
          permission="accounts"
          variant="danger"
          onClick={async () => finish(await acts.switchAll(chosen.ids, 'disable'))}
        >
          {words('account disable').action}
        </ActButton>
      </ChosenBar>
      <Section flush>
        <AdminList
          path="accounts"
          params={params}
          label={t.title}
          columns={columns}
          choice={chosen.choice}
          onOpen={({ id }) => navigate(`${pathOf('accounts')}/${id}`)}
          empty={
            filters.search === '' && state === 'all' ? (
              <EmptyState title={t.empty} action={create}>
                {t.emptyText}
              </EmptyState>
            ) : (
              <EmptyState title={t.none} action={<Button onClick={() => setFilters(FILTERS)}>{t.clear}</Button>} />
            )
          }
        />
      </Section>
      {isCreating && (
        <CreateAccountDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => navigate(`${pathOf('accounts')}/${id}`)}
        />
      )}
      {isCrediting && <BulkCreditDialog ids={chosen.ids} onClose={() => setCrediting(false)} onDone={finish} />}
      {result && <BulkFailures result={result} onClose={() => setResult(undefined)} />}
    </>
  )
}

function useColumns(): Column<Row<'accounts'>>[] {
  const t = useOperateTexts().accounts
  const number = useNumber()
  const link = (id: string, tab: string, content: React.ReactNode) => (
    <Link href={`${pathOf('accounts')}/${id}/${tab}`} className="hover:underline">
      {content}
    </Link>
  )
  return [
    {
      id: 'account',
      line: 1,
      least: 18,
      label: t.account,
      shrinks: true,
      skeleton: 'min-h-10 w-40',
      cell: ({ name, email, id }) => (
        <span className="flex min-w-0 flex-col">
          <span title={name} className="min-w-0 font-medium cards:wrap-anywhere rows:truncate">
            {name}
          </span>
          <span className="min-w-0 text-sm font-normal text-muted cards:wrap-anywhere rows:truncate">
            {email !== null && email !== name ? `${email} · ` : ''}
            {t.id(id)}
          </span>
        </span>
      ),
    },
    { id: 'state', line: 2, label: t.state, skeleton: 'w-14', cell: (row) => <AccountState account={row} /> },
    {
      id: 'balance',
      line: 2,
      label: t.balance,
      usd: ({ balance_usd }) => balance_usd,
      cell: ({ id }, amount) => link(id, 'ledger', amount),
    },
    {
      id: 'held',
      drop: 820,
      label: t.held,
      usd: ({ held_usd }) => (isZero(held_usd) ? null : held_usd),
    },
    {
      id: 'line',
      label: t.creditLine,
      drop: 1_160,
      usd: ({ credit_line_usd: usd }) => (isZero(usd) ? null : usd),
    },
    { id: 'cap', label: t.cap, drop: 1_320, usd: ({ cap_usd }) => cap_usd },
    {
      id: 'spent',
      drop: 640,
      label: t.spent30,
      usd: ({ spent_30_days_usd }) => spent_30_days_usd,
      cell: ({ id }, amount) => link(id, 'requests', amount),
    },
    {
      id: 'keys',
      drop: 700,
      label: t.keys,
      align: 'right',
      skeleton: 'w-8',
      cell: ({ id, active_keys }) => link(id, 'keys', number(active_keys)),
    },
    {
      id: 'groups',
      drop: 1_480,
      label: t.groups,
      cell: ({ groups }) => (groups.length === 0 ? null : <span className="wrap-anywhere">{groups.join(', ')}</span>),
    },
    {
      id: 'used',
      drop: 720,
      label: t.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} style="relative" /> : null),
    },
    { id: 'created', drop: 960, label: t.created, cell: ({ created_at }) => <Time at={created_at} style="date" /> },
  ]
}
