// The budgets of the account: the owner makes, changes and deletes those of the account; those of the operator are seen.

import { useState } from 'react'
import { useRead } from '../../api/queries.ts'
import type { BudgetRow } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { PageHeader, Section } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { BudgetDrawer, DeleteBudgetDialog } from './detail.tsx'
import { BudgetForm, KINDS } from './form.tsx'
import { useBudgetColumns } from './shown.tsx'

const FILTERS = { kind: '', before: '' }
type Open = { what: 'create' } | { what: 'show' | 'edit' | 'delete'; budget: BudgetRow }

export default function BudgetsPage() {
  const t = useTexts().budgets
  const { account } = useSession()
  const [filters, setFilters] = useUrlState(FILTERS)
  const [open, setOpen] = useState<Open>()
  const kind = KINDS.find((each) => each === filters.kind) ?? ''
  const query = useRead('budgets', { kind, before: filters.before }, { every: 'live', keepPrevious: true })
  const columns = useBudgetColumns()
  const isOwner = account.role === 'owner'
  const close = () => setOpen(undefined)
  const create = isOwner && !account.disabled && (
    <Button variant="primary" icon="plus" onClick={() => setOpen({ what: 'create' })}>
      {t.create}
    </Button>
  )
  const isFiltered = kind !== '' || filters.before !== ''
  return (
    <>
      <PageHeader title={t.title} text={isOwner ? t.text : t.ownText} help="use/console#budgets" actions={create} />
      <div className="mb-4 w-56 max-w-full">
        <SelectField
          hideLabel
          label={t.kindFilter}
          value={kind}
          onChange={(next) => setFilters({ kind: next, before: '' })}
          options={[
            { value: '', label: `${t.kindFilter}: ${t.allKinds}` },
            ...KINDS.map((value) => ({ value, label: t.kinds[value] })),
          ]}
        />
      </div>
      <Section flush>
        <List
          label={t.label}
          columnsKept="own-budgets"
          columns={columns}
          query={query}
          cursor="before"
          onOpen={(budget) => setOpen({ what: 'show', budget })}
          empty={
            isFiltered ? (
              <EmptyState
                title={t.empty.filtered}
                action={<Button onClick={() => setFilters(FILTERS)}>{t.empty.clear}</Button>}
              />
            ) : (
              <EmptyState title={t.empty.title} action={create}>
                {isOwner ? t.empty.text : t.empty.ownText}
              </EmptyState>
            )
          }
        />
      </Section>
      {open?.what === 'create' && <BudgetForm subject={undefined} onClose={close} />}
      {open?.what === 'edit' && <BudgetForm subject={open.budget} onClose={close} />}
      {open?.what === 'show' && (
        <BudgetDrawer
          budget={open.budget}
          mayChange={isOwner && !account.disabled}
          onEdit={() => setOpen({ what: 'edit', budget: open.budget })}
          onDelete={() => setOpen({ what: 'delete', budget: open.budget })}
          onClose={close}
        />
      )}
      {open?.what === 'delete' && <DeleteBudgetDialog budget={open.budget} onClose={close} />}
    </>
  )
}
