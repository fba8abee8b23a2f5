import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { AdminList } from '../../ui/list.tsx'
import { useRole } from '../../ui/permissions.ts'
import { AdminKeyDialog } from './admin-key-dialog.tsx'
import { rolesOfKeys } from './ranks.ts'

type AdminKeyRow = Row<'admin-keys'>

export function AdminKeysSection() {
  const t = useOperateTexts().people.adminKeys
  const [isCreating, setCreating] = useState(false)
  const create = (
    <ActButton permission="people" icon="plus" onClick={() => setCreating(true)}>
      {t.create}
    </ActButton>
  )
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">{t.text}</p>
        {create}
      </div>
      <Section flush>
        <AdminList
          path="admin-keys"
          params={{ limit: '50' }}
          label={t.label}
          expected={2}
          columns={useColumns()}
          empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
        />
      </Section>
      {isCreating && <AdminKeyDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function useColumns(): Column<AdminKeyRow>[] {
  const texts = useOperateTexts()
  const words = useWords()
  const t = texts.people.adminKeys
  const muted = (text: string) => <span className="text-muted">{text}</span>
  return [
    {
      id: 'name',
      label: t.name,
      skeleton: 'w-32',
      cell: ({ name, last_four }) => (
        <span className="flex flex-col rows:min-w-24">
          <span className="wrap-anywhere">{name}</span>
          <span className="text-sm font-normal text-muted">{t.endsIn(last_four)}</span>
        </span>
      ),
    },
    { id: 'role', label: t.role, cell: ({ role }) => <Badge tone="accent">{texts.shell.roles[role]}</Badge> },
    {
      id: 'permissions',
      drop: 760,
      label: t.permissions,
      cell: ({ permissions }) =>
        permissions ? (
          <span className="block max-w-56 text-sm rows:min-w-36">
            {permissions.map((each) => texts.people.roles.permissions[each]?.[0] ?? each).join(t.comma)}
          </span>
        ) : (
          muted(t.allOfRole)
        ),
    },
    {
      id: 'by',
      drop: 900,
      label: t.by,
      cell: ({ made_by_key_name: key, made_by_email: email }) => key ?? email ?? muted(t.commandLine),
    },
    {
      id: 'used',
      label: t.lastUsed,
      cell: ({ last_used_at: at }) => (at ? <Time at={at} style="relative" /> : muted(t.never)),
    },
    {
      id: 'expires',
      drop: 660,
      label: t.expires,
      cell: ({ expires_at: at }) => (at ? <Time at={at} style="date" /> : muted(t.neverExpires)),
    },
    {
      id: 'networks',
      drop: 980,
      label: t.networks,
      shrinks: true,
      cell: ({ networks }) =>
        networks ? <span className="font-mono text-sm">{networks.join(', ')}</span> : muted(t.anyNetwork),
    },
    {
      id: 'remove',
      label: words('admin-key delete').action,
      control: 'button',
      align: 'right',
      cell: (row) => <Remove row={row} />,
    },
  ]
}

function Remove({ row }: { row: AdminKeyRow }) {
  const t = useOperateTexts().people.adminKeys
  const act = useAct()
  const words = useWords()
  const own = useRole()
  const remove = () =>
    act({
      method: 'DELETE',
      path: 'admin-keys/{admin_key}',
      params: { admin_key: row.id },
      ...words('admin-key delete', row.name),
      danger: true,
    })
  return (
    <Button
      small
      disabled={!rolesOfKeys(own).includes(row.role)}
      aria-label={t.removeOf(row.name)}
      onClick={() => void remove()}
    >
      {words('admin-key delete').action}
    </Button>
  )
}
