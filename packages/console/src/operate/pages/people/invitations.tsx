import { Link } from 'wouter'
import { Button } from '../../../ui/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { AdminList } from '../../ui/list.tsx'
import { useRole } from '../../ui/permissions.ts'
import { mayActOn } from './ranks.ts'

type InvitationRow = Row<'invitations'>

export function InvitationsSection() {
  const t = useOperateTexts().people.invitations
  return (
    <>
      <p className="mb-3 text-muted">{t.text}</p>
      <Section flush>
        <AdminList
          path="invitations"
          params={{ limit: '50' }}
          label={t.label}
          expected={2}
          columns={useColumns()}
          empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
        />
      </Section>
    </>
  )
}

function useColumns(): Column<InvitationRow>[] {
  const texts = useOperateTexts()
  const words = useWords()
  const t = texts.people.invitations
  return [
    { id: 'for', label: t.for, skeleton: 'w-40', cell: ({ email }) => email ?? t.anyone },
    {
      id: 'to',
      label: t.to,
      cell: ({ role, account }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          {role && <Badge tone="accent">{texts.shell.roles[role]}</Badge>}
          {account && (
            <Link href={`${pathOf('accounts')}/${account}`} className="text-link hover:underline">
              {t.toAccount(account)}
            </Link>
          )}
        </span>
      ),
    },
    {
      id: 'by',
      label: t.by,
      cell: ({ made_by_key_name: key, made_by_email: email }) =>
        key ?? email ?? <span className="text-muted">{t.commandLine}</span>,
    },
    { id: 'expires', label: t.expires, cell: ({ expires_at: at }) => <Time at={at} style="relative" /> },
    {
      id: 'revoke',
      label: words('invitation revoke').action,
      control: 'button',
      align: 'right',
      cell: (row) => <Revoke row={row} />,
    },
  ]
}

function Revoke({ row }: { row: InvitationRow }) {
  const t = useOperateTexts().people.invitations
  const act = useAct()
  const words = useWords()
  const own = useRole()
  const whom = row.email ?? t.anyone
  const revoke = () =>
    act({
      method: 'DELETE',
      path: 'invitations/{invitation}',
      params: { invitation: row.id },
      ...words('invitation revoke', whom),
      danger: true,
    })
  return (
    <Button small disabled={!mayActOn(own, row.role)} aria-label={t.revokeOf(whom)} onClick={() => void revoke()}>
      {words('invitation revoke').action}
    </Button>
  )
}
