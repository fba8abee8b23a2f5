// One account, as support sees it: what its holder sees, read-only, and the acts of the role.

import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu, Tabs } from '../../../ui/overlay.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { ActButton, useActItem } from '../../ui/act-button.tsx'
import { ActForm } from '../../ui/act-form.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { BudgetList } from '../budgets/budget-list.tsx'
import { AdminBudgetForm } from '../budgets/form.tsx'
import { KeyList } from '../keys/key-list.tsx'
import { type Account, AccountState } from './account-state.tsx'
import { CreditDialog } from './credit-dialog.tsx'
import { LimitsTab } from './tabs/limits.tsx'
import { HistoryTab, LedgerTab, RequestsTab } from './tabs/lists.tsx'
import { NotesTab } from './tabs/notes.tsx'
import { NoticesTab } from './tabs/notices.tsx'
import { OverviewTab } from './tabs/overview.tsx'
import { PeopleTab } from './tabs/people.tsx'
import { StatementsTab } from './tabs/statements.tsx'
import { useAccountActs } from './use-acts.ts'

const TABS: Readonly<Record<string, (account: Account) => ReactNode>> = {
  overview: (account) => <OverviewTab account={account} />,
  keys: ({ id }) => <KeysTab account={id} />,
  budgets: ({ id }) => <BudgetsTab account={id} />,
  requests: ({ id }) => <RequestsTab account={id} />,
  ledger: ({ id }) => <LedgerTab account={id} />,
  people: ({ id }) => <PeopleTab account={id} />,
  limits: (account) => <LimitsTab key={account.id} account={account} />,
  statements: ({ id }) => <StatementsTab account={id} />,
  notices: ({ id }) => <NoticesTab account={id} />,
  notes: ({ id }) => <NotesTab account={id} />,
  history: ({ id }) => <HistoryTab account={id} />,
}

export function AccountPage({ account: id, tab }: { account: string; tab: string }) {
  const t = useOperateTexts().accounts
  const [, navigate] = useLocation()
  const { data: account, error, refetch } = useAdmin('accounts/{account}', { account: id }, { every: LIVE })
  const base = `${pathOf('accounts')}/${id}`
  const current = Object.hasOwn(TABS, tab) ? tab : 'overview'
  if (error && !account) return <ErrorState error={error} retry={refetch} />
  return (
    <>
      <PageHeader
        title={account?.name ?? t.account}
        help="operate/browser#accounts"
        text={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Link href={pathOf('accounts')} className="text-link hover:underline">
              {t.backToList}
            </Link>
            {account ? <AccountState account={account} /> : <Skeleton size="h-5 w-14" />}
            {account?.email && account.email !== account.name && <span className="wrap-anywhere">{account.email}</span>}
          </span>
        }
        actions={
          account ? (
            account.deleted_at === null && <Actions account={account} />
          ) : (
            <Skeleton size="h-8 w-48 pointer-coarse:h-10" />
          )
        }
      />
      <Tabs
        label={t.tabs.label}
        value={current}
        onChange={(next) => navigate(next === 'overview' ? base : `${base}/${next}`)}
        tabs={Object.entries(TABS).map(([name, show]) => ({
          id: name,
          label: t.tabs.names[name] ?? name,
          content: account ? show(account) : <Skeleton size="h-64 w-full" />,
        }))}
      />
    </>
  )
}

function Actions({ account }: { account: Account }) {
  const t = useOperateTexts().accounts
  const words = useWords()
  const acts = useAccountActs()
  const item = useActItem()
  const [, navigate] = useLocation()
  const [isCrediting, setCrediting] = useOpenByAddress('credit', 'money')
  const [isRenaming, setRenaming] = useState(false)
  const to = account.disabled ? 'enable' : 'disable'
  const needsMoney = Number(account.balance_usd) !== 0 || Number(account.held_usd) !== 0
  return (
    <>
      <ActButton permission="money" variant="primary" onClick={() => setCrediting(true)}>
        {t.credit.open}
      </ActButton>
      <ActButton permission="accounts" onClick={() => acts.switchTo(account, to)}>
        {words(`account ${to}`).action}
      </ActButton>
      <Menu
        trigger={<IconButton icon="more" label={t.more} />}
        items={[
          item('accounts', { label: words('account edit').action, icon: 'edit', onSelect: () => setRenaming(true) }),
          item('money', {
            label: t.creditLine,
            onSelect: () => navigate(`${pathOf('accounts')}/${account.id}/limits`),
          }),
          item(
            needsMoney ? 'money' : 'accounts',
            item('accounts', {
              label: words('account delete').action,
              icon: 'trash',
              danger: true,
              onSelect: () => acts.erase(account),
            }),
          ),
        ]}
      />
      {isRenaming && <RenameDialog account={account} onClose={() => setRenaming(false)} />}
      {isCrediting && <CreditDialog account={account} onClose={() => setCrediting(false)} />}
    </>
  )
}

function KeysTab({ account }: { account: string }) {
  const t = useOperateTexts().keys
  const [hasAll, setAll] = useState(false)
  return (
    <>
      <KeyList
        account={account}
        params={{ account, state: hasAll ? '' : 'active' }}
        empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
      />
      <Button small onClick={() => setAll(!hasAll)}>
        {hasAll ? t.onlyActive : t.alsoOthers}
      </Button>
    </>
  )
}

function BudgetsTab({ account }: { account: string }) {
  const t = useOperateTexts().budgets
  const words = useWords()
  const [isCreating, setCreating] = useOpenByAddress('budget', 'money')
  return (
    <>
      <BudgetList
        account={account}
        params={{ account }}
        title={t.title}
        actions={
          <ActButton permission="money" icon="plus" onClick={() => setCreating(true)}>
            {words('budget create').action}
          </ActButton>
        }
        empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
      />
      {isCreating && <AdminBudgetForm account={account} onClose={() => setCreating(false)} />}
    </>
  )
}

function RenameDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const t = useOperateTexts().accounts.rename
  const question = useWords()('account edit', account.name)
  return (
    <ActForm
      method="PATCH"
      path="accounts/{account}"
      params={{ account: account.id }}
      of={account}
      title={t.form(account.name)}
      action={t.check}
      fields={[{ name: 'name', label: t.name, missing: t.missing }]}
      question={question}
      undo={question.title}
      onClose={onClose}
    />
  )
}
