// Who may use the account, and help for those who cannot sign in.

import { useState } from 'react'
import { IconButton } from '../../../../ui/button.tsx'
import { CodeBlock } from '../../../../ui/copy.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Menu } from '../../../../ui/overlay.tsx'
import { Section } from '../../../../ui/page.tsx'
import { EmptyRow, ErrorState } from '../../../../ui/states.tsx'
import { type Column, Table } from '../../../../ui/table.tsx'
import { Amount } from '../../../../ui/values.tsx'
import { useAdmin } from '../../../api/queries.ts'
import type { Output } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useAct } from '../../../ui/act.tsx'
import { useActItem } from '../../../ui/act-button.tsx'

type Person = Output<'GET', 'accounts/{account}/members'>['people'][number]

export function PeopleTab({ account }: { account: string }) {
  const { accounts } = useOperateTexts()
  const t = accounts.peopleTab
  const act = useAct()
  const item = useActItem()
  const [link, setLink] = useState<string>()
  const { data, error, refetch } = useAdmin('accounts/{account}/members', { account })
  // Routes of a person take the address in the place of the account.
  const of = (email: string) => ({ account: email })

  const makeLink = async (email: string) => {
    const made = await act({
      method: 'POST',
      path: 'accounts/{account}/sign-in-link',
      params: of(email),
      title: t.link.title(email),
      text: t.link.text,
      action: t.link.open,
      done: t.link.done,
      hideChanges: true,
    })
    if (made) setLink(made.url)
  }
  const signOut = (email: string) =>
    act({
      method: 'DELETE',
      path: 'accounts/{account}/sessions',
      params: of(email),
      title: t.signOut.title(email),
      action: t.signOut.open,
      done: t.signOut.done,
      danger: true,
      hideChanges: true,
    })
  const removeFactor = (email: string) =>
    act({
      method: 'POST',
      path: 'accounts/{account}/remove-second-factor',
      params: of(email),
      title: t.factor.title(email),
      text: t.factor.text,
      action: t.factor.open,
      done: t.factor.done,
      danger: true,
      reason: 'required',
      hideChanges: true,
    })
  const setRole = ({ email }: Person, role: 'owner' | 'member') =>
    act({
      method: 'POST',
      path: 'accounts/{account}/members',
      params: { account },
      body: { email, role },
      title: t.role.title(email, accounts.roles[role]),
      action: t.role.action,
      done: t.role.done,
    })

  const columns: Column<Person>[] = [
    { id: 'email', label: t.email, shrinks: true, cell: ({ email }) => email },
    { id: 'role', label: t.role.label, cell: ({ role }) => accounts.roles[role] },
    {
      id: 'cap',
      label: t.cap,
      align: 'right',
      cell: ({ cap_usd }) => (cap_usd === null ? null : <Amount usd={cap_usd} />),
    },
    {
      id: 'actions',
      label: t.actions,
      control: 'icon',
      align: 'right',
      cell: (person) => {
        const other = person.role === 'owner' ? 'member' : 'owner'
        const { email } = person
        return (
          <Menu
            trigger={<IconButton icon="more" label={t.actionsOf(email)} />}
            items={[
              item('accounts', { label: t.link.open, onSelect: () => makeLink(email) }),
              item('accounts', { label: t.role.make(accounts.roles[other]), onSelect: () => setRole(person, other) }),
              item('accounts', { label: t.signOut.open, onSelect: () => signOut(email), hasLine: true }),
              item('accounts', { label: t.factor.open, danger: true, onSelect: () => removeFactor(email) }),
            ]}
          />
        )
      },
    },
  ]
  return (
    <Section flush title={t.title} text={t.text}>
      {error && !data ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <Table
          label={t.title}
          columns={columns}
          rows={data?.people}
          rowKey={({ email }) => email}
          expected={1}
          empty={<EmptyRow>{t.empty}</EmptyRow>}
        />
      )}
      {link && (
        <Dialog open onClose={() => setLink(undefined)} title={t.link.made}>
          <p className="mb-3">{t.link.once}</p>
          <CodeBlock wrap code={link} label={t.link.made} />
        </Dialog>
      )}
    </Section>
  )
}
