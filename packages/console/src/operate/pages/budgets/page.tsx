// The budgets of all accounts and across accounts.

import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Segments } from '../../../ui/form/choices.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useAccountChoices } from '../../api/choices.ts'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { Filters } from '../../ui/filters.tsx'
import { CsvLink } from '../../ui/list.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { BudgetList } from './budget-list.tsx'
import { AdminBudgetForm } from './form.tsx'

const FILTERS = { view: 'all', account: '', kind: '', value: '', set_by: '', after: '' }
const VIEWS = ['all', 'reached', 'across'] as const

export default function BudgetsPage() {
  const t = useOperateTexts().budgets
  const { budgets: shared } = useTexts()
  const words = useWords()
  const [filters, setFilters] = useUrlState(FILTERS)
  const [isCreating, setCreating] = useOpenByAddress('create', 'money')
  const { account, kind, value, set_by } = filters
  const view = VIEWS.find((each) => each === filters.view) ?? 'all'
  const { data: whose } = useAdmin('accounts/{account}', { account }, { enabled: account !== '' })
  const params = {
    kind,
    value,
    set_by,
    ...(view === 'across' ? { across_accounts: 'true' } : { account }),
    ...(view === 'reached' ? { reached: 'true' } : {}),
  }
  const create = (
    <ActButton permission="money" variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {words('budget create').action}
    </ActButton>
  )
  const isFiltered = view !== 'all' || [account, kind, value, set_by].some((each) => each !== '')
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/budgets#in-the-browser"
        actions={
          <>
            <CsvLink path="budgets" params={params} />
            {create}
          </>
        }
      />
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Segments
          label={t.view}
          value={view}
          onChange={(next) => setFilters({ view: next, after: '' })}
          options={VIEWS.map((each) => ({ value: each, label: t.views[each] }))}
        />
        <Filters
          fields={[
            {
              name: 'account',
              label: t.account,
              useChoices: useAccountChoices,
              ...(whose ? { shown: whose.name } : {}),
            },
            {
              name: 'kind',
              label: t.kind,
              options: Object.entries(shared.kinds).map(([id, label]) => ({ value: id, label })),
            },
            { name: 'value', label: t.value, placeholder: 'team=search' },
            {
              name: 'set_by',
              label: t.setBy,
              options: Object.entries(shared.list.setters).map(([id, label]) => ({ value: id, label })),
            },
          ]}
        />
      </div>
      <BudgetList
        params={params}
        empty={
          isFiltered ? (
            <EmptyState title={t.none} action={<Button onClick={() => setFilters(FILTERS)}>{t.clear}</Button>} />
          ) : (
            <EmptyState title={t.empty} action={create}>
              {t.emptyText}
            </EmptyState>
          )
        }
      />
      {isCreating && <AdminBudgetForm onClose={() => setCreating(false)} />}
    </>
  )
}
