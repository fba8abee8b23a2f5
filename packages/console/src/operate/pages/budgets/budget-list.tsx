// Budgets of one account or of all, with the columns of account holders, each opened in a drawer.

import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { BudgetFacts, useBudgetColumns, useBudgetName } from '../../../pages/budgets/shown.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Section } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Params, Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { AdminList } from '../../ui/list.tsx'
import { AdminBudgetForm } from './form.tsx'

type BudgetRow = Row<'budgets'>

/** The budget that is open is in the URL. */
const OPEN = { budget: '' }

type BudgetListProps = {
  params: Omit<Params<'GET', 'budgets'>, 'after' | 'before'>
  /** Budgets of all accounts if absent. */
  account?: string
  /** The title of a part of a page. */
  title?: string
  actions?: ReactNode
  empty: ReactNode
}

export function BudgetList({ params, account, title, actions, empty }: BudgetListProps) {
  const t = useOperateTexts().budgets
  const { budgets: shared } = useTexts()
  const [{ budget: id }, setOpen] = useUrlState(OPEN)
  const [edited, setEdited] = useState<BudgetRow>()
  const own = useBudgetColumns<BudgetRow>()
  const whose: Column<BudgetRow> = {
    id: 'account',
    line: 2,
    label: t.account,
    shrinks: true,
    skeleton: 'w-28',
    cell: ({ account_id, account: name }) =>
      account_id === null ? (
        <span className="text-muted">{t.allAccounts}</span>
      ) : (
        <Link href={`${pathOf('accounts')}/${account_id}`} title={name ?? ''} className="text-link hover:underline">
          {name || account_id}
        </Link>
      ),
  }
  const columns = account === undefined ? [...own.slice(0, 1), whose, ...own.slice(1)] : own
  return (
    <Section flush {...(title === undefined ? {} : { title, actions })}>
      <AdminList
        path="budgets"
        params={params}
        label={shared.label}
        columns={columns}
        onOpen={(row) => setOpen({ budget: row.id }, { replace: false })}
        isSelected={(row) => row.id === id}
        empty={empty}
      />
      {id !== '' && (
        <BudgetDrawer
          id={id}
          onEdit={(budget) => {
            setOpen(OPEN)
            setEdited(budget)
          }}
          onClose={() => setOpen(OPEN)}
        />
      )}
      {edited && <AdminBudgetForm subject={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  )
}

type DrawerProps = { id: string; onEdit(budget: BudgetRow): void; onClose(): void }

function BudgetDrawer({ id, onEdit, onClose }: DrawerProps) {
  const texts = useTexts()
  const t = useOperateTexts().budgets
  const nameOf = useBudgetName()
  const words = useWords()
  const act = useAct()
  const query = useAdmin('budgets/{budget}', { budget: id })
  const { data: budget } = query
  const remove = async () => {
    if (!budget) return
    const done = await act({
      method: 'DELETE',
      path: 'budgets/{budget}',
      params: { budget: id },
      ...words('budget delete', nameOf(budget)),
      danger: true,
      hideChanges: true,
    })
    if (done) onClose()
  }
  const isOpen = budget !== undefined && budget.deleted_at === null
  return (
    <DetailDrawer
      query={query}
      onClose={onClose}
      title={budget ? nameOf(budget) : t.title}
      none={{ title: t.none }}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.close}</Button>
          {isOpen && budget.is_cap && (
            <ButtonLink variant="primary" href={placeOf(budget)}>
              {t.openCap}
            </ButtonLink>
          )}
          {isOpen && !budget.is_cap && (
            <>
              <ActButton permission="money" variant="danger" onClick={remove}>
                {words('budget delete').action}
              </ActButton>
              <ActButton permission="money" variant="primary" onClick={() => onEdit(budget)}>
                {texts.budgets.detail.edit}
              </ActButton>
            </>
          )}
        </>
      }
    >
      {(shown) => (
        <>
          {shown.is_cap && <Banner>{t.capText}</Banner>}
          {shown.account_id === null && shown.hard && <Banner>{t.across}</Banner>}
          {shown.account_id !== null && (
            <p>
              <Link
                href={`${pathOf('accounts')}/${shown.account_id}`}
                className="text-link wrap-anywhere hover:underline"
              >
                {shown.account || shown.account_id}
              </Link>
            </p>
          )}
          <BudgetFacts budget={shown} />
        </>
      )}
    </DetailDrawer>
  )
}

/** Where a cap is changed. */
function placeOf({ kind, key_id, account_id }: BudgetRow): string {
  if (kind === 'key') return `${pathOf('keys')}?key=${key_id}`
  return `${pathOf('accounts')}/${account_id}/${kind === 'member' ? 'people' : 'limits'}`
}
