import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time, useNumber } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { AdminList } from '../../ui/list.tsx'
import { AccountLink } from './columns.tsx'

type Params = { account: string; key: string; error_code: string; from: string; to: string }

/** Requests that were rejected before a hold have no receipt: they are counted by minute, key and error code. */
export function RejectedList({ params, every }: { params: Params; every?: number }) {
  const t = useOperateTexts().requests
  const number = useNumber()
  const columns: Column<Row<'rejected-requests'>>[] = [
    { id: 'minute', line: 2, label: t.rejected.minute, cell: (row) => <Time at={row.minute} /> },
    {
      id: 'account',
      line: 2,
      label: t.account,
      shrinks: true,
      cell: ({ account_id: id, account }) =>
        id === null ? t.rejected.several : <AccountLink id={id} name={account} />,
    },
    {
      id: 'key',
      drop: 800,
      label: t.key,
      shrinks: true,
      cell: ({ key_id, key }) => key ?? key_id ?? t.rejected.several,
    },
    {
      id: 'code',
      line: 1,
      label: t.code,
      cell: ({ status, code }) => (
        <span className="font-mono text-sm whitespace-nowrap">{[status, code].filter(Boolean).join(' ')}</span>
      ),
    },
    { id: 'count', line: 1, label: t.rejected.count, align: 'right', cell: (row) => number(row.count) },
    {
      id: 'reason',
      drop: 700,
      label: t.rejected.reason,
      shrinks: true,
      cell: (row) => (
        <span lang="en" title={row.reason}>
          {row.reason}
        </span>
      ),
    },
    {
      id: 'last',
      drop: 980,
      label: t.rejected.last,
      cell: (row) => <span className="font-mono text-xs whitespace-nowrap">{row.last_request_id}</span>,
    },
  ]
  return (
    <AdminList
      path="rejected-requests"
      params={params}
      label={t.rejected.title}
      columns={columns}
      empty={<EmptyState title={t.rejected.empty}>{t.rejected.emptyText}</EmptyState>}
      {...(every === undefined ? {} : { every })}
    />
  )
}
