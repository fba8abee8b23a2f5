// What an account did and what was done to it: its requests, its transfers, and the audit log about it.

import { Section } from '../../../../ui/page.tsx'
import { EmptyState } from '../../../../ui/states.tsx'
import type { Column } from '../../../../ui/table.tsx'
import { useUrlState } from '../../../../ui/url-state.ts'
import { Time } from '../../../../ui/values.tsx'
import { LIVE } from '../../../api/queries.ts'
import type { Row } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { AdminList, CsvLink } from '../../../ui/list.tsx'
import { SentenceOf } from '../../audit-log/row.tsx'
import { useOperatorColumns } from '../../requests/columns.tsx'
import { RequestDrawer } from '../../requests/request.tsx'

/** The request that is open is in the URL. */
const OPEN = { request: '' }

export function RequestsTab({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const [{ request }, setOpen] = useUrlState(OPEN)
  const columns = useOperatorColumns(['account'])
  const title = t.tabs.names.requests ?? ''
  return (
    <Section flush title={title} actions={<CsvLink path="requests" params={{ account }} />}>
      <AdminList
        path="requests"
        params={{ account }}
        label={title}
        columns={columns}
        every={LIVE}
        onOpen={({ id }) => setOpen({ request: id }, { replace: false })}
        isSelected={({ id }) => id === request}
        empty={<EmptyState title={t.noRequests} />}
      />
      <RequestDrawer id={request} onClose={() => setOpen(OPEN)} />
    </Section>
  )
}

export function LedgerTab({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const own = `account/${account}`
  const columns: Column<Row<'ledger/transfers'>>[] = [
    { id: 'at', line: 2, label: t.ledger.at, cell: ({ at }) => <Time at={at} /> },
    { id: 'kind', line: 1, label: t.ledger.kind, cell: ({ kind }) => t.ledger.kinds[kind] ?? kind },
    {
      id: 'amount',
      label: t.ledger.amount,
      line: 1,
      isSigned: true,
      usd: ({ amount_usd, to }) => (to === own ? amount_usd : `-${amount_usd}`),
    },
    { id: 'with', drop: 700, label: t.ledger.with, cell: ({ from, to }) => <code>{from === own ? to : from}</code> },
    { id: 'reason', label: t.ledger.reason, shrinks: true, cell: ({ reason }) => reason || null },
  ]
  return (
    <Section flush title={t.tabs.names.ledger ?? ''} actions={<CsvLink path="ledger/transfers" params={{ account }} />}>
      <AdminList
        path="ledger/transfers"
        params={{ account }}
        label={t.tabs.names.ledger ?? ''}
        columns={columns}
        empty={<EmptyState title={t.noTransfers} />}
      />
    </Section>
  )
}

export function HistoryTab({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const columns: Column<Row<'audit-log'>>[] = [
    { id: 'at', label: t.ledger.at, cell: ({ at }) => <Time at={at} /> },
    { id: 'what', label: t.history.change, cell: (row) => <SentenceOf row={row} />, skeleton: 'w-72' },
    { id: 'reason', label: t.ledger.reason, cell: ({ reason }) => reason || null },
  ]
  return (
    <Section flush title={t.tabs.names.history ?? ''}>
      <AdminList
        path="audit-log"
        params={{ object: `account/${account}` }}
        label={t.tabs.names.history ?? ''}
        columns={columns}
        empty={<EmptyState title={t.history.empty} />}
      />
    </Section>
  )
}
