// Who may use the account, and help for those who cannot sign in.

import { useState } from 'react'
import { useTexts } from '../../../../i18n/language.tsx'
import { ShownOnce } from '../../../../pages/keys/secret.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { Menu } from '../../../../ui/overlay.tsx'
import { Section } from '../../../../ui/page.tsx'
import { EmptyRow } from '../../../../ui/states.tsx'
import { List } from '../../../../ui/table/list.tsx'
import type { Column } from '../../../../ui/table.tsx'
import { Amount } from '../../../../ui/values.tsx'
import { useAdmin } from '../../../api/queries.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useWords } from '../../../i18n/use-words.ts'
import { useAct } from '../../../ui/act.tsx'
import { ActButton, useActItem } from '../../../ui/act-button.tsx'
import { MemberDialog, type Person } from './member-dialog.tsx'

export function PeopleTab({ account }: { account: string }) {
  const { accounts } = useOperateTexts()
  const t = accounts.peopleTab
  const act = useAct()
  const words = useWords()
  const item = useActItem()
  const { list } = useTexts().keys
  const [link, setLink] = useState<string>()
  const [open, setOpen] = useState<{ person?: Person }>()
  const query = useAdmin('accounts/{account}/members', { account })
  // Routes of a person take the address in the place of the account.
  const of = (email: string) => ({ account: email })

  const makeLink = async (email: string) => {
    const made = await act({
      method: 'POST',
      path: 'accounts/{account}/sign-in-link',
      params: of(email),
      ...words('account sign-in-link', email),
      hideChanges: true,
    })
    if (made) setLink(made.url)
  }
  const signOut = (email: string) =>
    act({
      method: 'DELETE',
      path: 'accounts/{account}/sessions',
      params: of(email),
      ...words('account sign-out', email),
      danger: true,
      hideChanges: true,
    })
  const removeFactor = (email: string) =>
    act({
      method: 'POST',
      path: 'accounts/{account}/remove-second-factor',
      params: of(email),
      ...words('account remove-second-factor', email),
      danger: true,
      reason: 'required',
      hideChanges: true,
    })
  const remove = (email: string, keep_keys: boolean) =>
    act({
      method: 'POST',
      path: 'accounts/{account}/members',
      params: { account },
      body: { email, role: null, keep_keys },
      title: t.remove.title(email),
      text: keep_keys ? t.remove.keepText : t.remove.text,
      action: t.remove.action,
      done: t.remove.done,
      danger: true,
      hideChanges: true,
    })

  const columns: Column<Person>[] = [
    { id: 'email', label: t.email, shrinks: true, cell: ({ email }) => email },
    { id: 'role', label: t.role, cell: ({ role }) => accounts.roles[role] },
    {
      id: 'cap',
      label: t.cap,
      align: 'right',
      cell: ({ cap_usd, cap_period }) =>
        cap_usd === null ? null : (
          <>
            <Amount usd={cap_usd} /> {cap_period && <span className="text-muted">{list.per[cap_period]}</span>}
          </>
        ),
    },
    {
      id: 'month',
      label: accounts.spentThisMonth,
      usd: ({ spent_this_month_usd }) => spent_this_month_usd,
    },
    { id: 'spent', label: t.spentInAll, usd: ({ spent_usd }) => spent_usd },
    {
      id: 'actions',
      label: t.actions,
      control: 'icon',
      align: 'right',
      cell: (person) => {
        const { email } = person
        return (
          <Menu
            trigger={<IconButton icon="more" label={t.actionsOf(email)} />}
            items={[
              item('accounts', { label: words('account sign-in-link').action, onSelect: () => makeLink(email) }),
              item('accounts', { label: t.edit.open, onSelect: () => setOpen({ person }) }),
              item('accounts', {
                label: words('account sign-out').action,
                onSelect: () => signOut(email),
                hasLine: true,
              }),
              item('accounts', {
                label: words('account remove-second-factor').action,
                danger: true,
                onSelect: () => removeFactor(email),
              }),
              item('accounts', {
                label: t.remove.open,
                danger: true,
                onSelect: () => remove(email, false),
                hasLine: true,
              }),
              item('accounts', { label: t.remove.keep, danger: true, onSelect: () => remove(email, true) }),
            ]}
          />
        )
      },
    },
  ]
  return (
    <Section
      flush
      title={t.title}
      text={t.text}
      actions={
        <ActButton permission="accounts" icon="plus" onClick={() => setOpen({})}>
          {t.add.open}
        </ActButton>
      }
    >
      <List
        label={t.title}
        columns={columns}
        query={{ ...query, data: query.data?.people }}
        rowKey={({ email }) => email}
        expected={1}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
      {open && <MemberDialog account={account} {...open} onClose={() => setOpen(undefined)} />}
      {link && (
        <ShownOnce
          title={t.link.made}
          text={t.link.once}
          label={t.link.made}
          secret={link}
          loss={{ title: t.link.leave, text: t.link.leaveText }}
          onClose={() => setLink(undefined)}
        />
      )}
    </Section>
  )
}
