import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../../../app/session.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/overlay.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { Time } from '../../../ui/values.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { Filters } from '../../ui/filters.tsx'
import { AdminList } from '../../ui/list.tsx'
import { useRole } from '../../ui/permissions.ts'
import { mayActOn, type PersonRow, ROLES } from './ranks.ts'
import { RoleDialog } from './role-dialog.tsx'

const FILTERS = { role: '', email: '', disabled: '' }

export function TeamSection() {
  const texts = useOperateTexts()
  const t = texts.people.team
  const [{ role, email, disabled }] = useUrlState(FILTERS)
  const [changing, setChanging] = useState<PersonRow>()
  // Who is looked for by the address may have no role yet.
  const params = { email, disabled, role: role === '' && email === '' ? 'any' : role, limit: '50' }
  return (
    <>
      <p className="mb-3 text-muted">{t.text}</p>
      <div className="mb-4">
        <Filters
          fields={[
            { name: 'email', label: t.email, placeholder: 'ada@example.com' },
            {
              name: 'role',
              label: t.role,
              options: [
                ...ROLES.map((value) => ({ value, label: texts.shell.roles[value] })),
                { value: 'none', label: t.noRole },
              ],
            },
            {
              name: 'disabled',
              label: t.state,
              options: (['true', 'false'] as const).map((value) => ({ value, label: t.states[value] })),
            },
          ]}
        />
      </div>
      <Section flush>
        <AdminList
          path="people"
          params={params}
          label={t.label}
          expected={3}
          columns={useColumns(setChanging)}
          empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
        />
      </Section>
      {changing && <RoleDialog person={changing} onClose={() => setChanging(undefined)} />}
    </>
  )
}

function useColumns(onChangeRole: (person: PersonRow) => void): Column<PersonRow>[] {
  const texts = useOperateTexts()
  const t = texts.people.team
  const { account } = useSession()
  return [
    {
      id: 'email',
      label: t.email,
      skeleton: 'w-40',
      cell: (row) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <span className="wrap-anywhere">{row.email}</span>
          {row.email === account.email && <Badge>{t.you}</Badge>}
          {row.disabled && <Badge tone="bad">{t.disabled}</Badge>}
        </span>
      ),
    },
    {
      id: 'role',
      label: t.role,
      cell: ({ role }) =>
        role ? <Badge tone="accent">{texts.shell.roles[role]}</Badge> : <span className="text-muted">{t.noRole}</span>,
    },
    {
      id: 'secondFactor',
      label: t.secondFactor,
      cell: ({ second_factor: isOn }) => <Badge tone={isOn ? 'good' : 'warn'}>{isOn ? t.on : t.off}</Badge>,
    },
    {
      id: 'signedIn',
      drop: 680,
      label: t.signedIn,
      cell: ({ signed_in_at: at }) =>
        at ? <Time at={at} style="relative" /> : <span className="text-muted">{t.never}</span>,
    },
    {
      id: 'accounts',
      drop: 800,
      label: t.accounts,
      shrinks: true,
      cell: ({ accounts }) => (accounts.length === 0 ? null : accounts.map(({ name }) => name).join(', ')),
    },
    {
      id: 'actions',
      label: t.actions,
      control: 'icon',
      align: 'right',
      cell: (row) => <PersonMenu row={row} onChangeRole={() => onChangeRole(row)} />,
    },
  ]
}

function PersonMenu({ row, onChangeRole }: { row: PersonRow; onChangeRole(): void }) {
  const texts = useOperateTexts().people
  const t = texts.team
  const act = useAct()
  const words = useWords()
  const own = useRole()
  const [, navigate] = useLocation()
  const may = mayActOn(own, row.role)
  const item = (label: string, onSelect: () => unknown, more: Partial<MenuItem> = {}): MenuItem => ({
    label: may ? label : `${label} (${t.needsRank})`,
    disabled: !may,
    onSelect: () => void onSelect(),
    ...more,
  })
  const { email, id: person } = row
  const toDisable = { method: 'POST', path: 'people/{person}/disable', params: { person } } as const
  const toEnable = { method: 'POST', path: 'people/{person}/enable', params: { person } } as const
  const enabling = { ...toEnable, ...words('person enable', email) }
  return (
    <Menu
      trigger={<IconButton icon="more" label={t.actionsOf(email)} />}
      items={[
        item(t.changeRole, onChangeRole, { icon: 'edit' }),
        item(words('account sign-out').action, () =>
          act({
            method: 'DELETE',
            path: 'accounts/{account}/sessions',
            params: { account: email },
            ...words('account sign-out', email),
            hideChanges: true,
          }),
        ),
        row.disabled
          ? item(enabling.action, () => act(enabling))
          : item(
              words('person disable').action,
              () => act({ ...toDisable, ...words('person disable', email), danger: true, undo: enabling }),
              {
                danger: true,
              },
            ),
        {
          label: t.showSignIns,
          hasLine: true,
          onSelect: () => navigate(`${pathOf('people')}?tab=signIns&actor=person/${person}`),
        },
        { label: t.history, onSelect: () => navigate(`${pathOf('auditLog')}?actor=person/${person}`) },
      ]}
    />
  )
}
