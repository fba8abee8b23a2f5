// The movements in the ledger, with filters that are in the URL.

import { Link } from 'wouter'
import { useTexts } from '../../../i18n/language.tsx'
import { Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { Time } from '../../../ui/values.tsx'
import { useAccountChoices } from '../../api/choices.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pathOf } from '../../page-ids.ts'
import { Filters } from '../../ui/filters.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { useMay } from '../../ui/permissions.ts'

type Transfer = Row<'ledger/transfers'>

const NAMES_MS = 60_000
const FIELDS = { account: '', kind: '', request: '', reference: '', reason: '', from: '', to: '' }

export function TransfersSection() {
  const t = useOperateTexts().ledger.transfers
  const may = useMay()
  const [filters] = useUrlState(FIELDS)
  const { account } = filters
  const { data: owner } = useAdmin('accounts/{account}', { account }, { enabled: account !== '', staleTime: NAMES_MS })
  return (
    <Section flush title={t.title} actions={<CsvLink path="ledger/transfers" params={filters} />}>
      <div className="border-b px-4 py-3">
        <Filters
          fields={[
            {
              name: 'account',
              label: t.account,
              useChoices: useAccountChoices,
              ...(owner ? { shown: owner.name } : {}),
            },
            {
              name: 'kind',
              label: t.kind,
              options: Object.entries(t.kinds)
                .filter(([value]) => value !== 'test' || may('see_costs'))
                .map(([value, label]) => ({ value, label })),
            },
            { name: 'request', label: t.request, placeholder: 'req_...' },
            { name: 'reference', label: t.reference },
            { name: 'reason', label: t.reason },
            { name: 'from', label: t.since, placeholder: t.day },
            { name: 'to', label: t.until, placeholder: t.day },
          ]}
        />
      </div>
      <AdminList
        path="ledger/transfers"
        params={filters}
        label={t.title}
        columns={useColumns()}
        empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
      />
    </Section>
  )
}

function useColumns(): Column<Transfer>[] {
  const t = useOperateTexts().ledger.transfers
  const { reasons } = useTexts().wallet.history
  return [
    { id: 'time', line: 2, label: t.time, cell: ({ at }) => <Time at={at} /> },
    { id: 'kind', line: 1, label: t.kind, cell: ({ kind }) => t.kinds[kind] },
    { id: 'from', drop: 700, label: t.from, cell: ({ from, account }) => <Side name={from} account={account} /> },
    { id: 'to', line: 2, label: t.to, cell: ({ to, account }) => <Side name={to} account={account} /> },
    { id: 'amount', line: 1, label: t.amount, usd: ({ amount_usd: amount }) => amount },
    {
      id: 'reason',
      label: t.reason,
      shrinks: true,
      cell: ({ reason, reference }) => {
        const said = [reasons[reason] ?? reason, reference].filter(Boolean).join(' · ')
        return said === '' ? null : (
          <span title={said} className="block min-w-0 cards:wrap-anywhere rows:truncate">
            {said}
          </span>
        )
      },
    },
    {
      id: 'request',
      drop: 940,
      label: t.request,
      cell: ({ request_id: id }) =>
        id && (
          <Link href={`${pathOf('requests')}?id=${id}`} className="font-mono text-sm underline">
            {id}
          </Link>
        ),
    },
  ]
}

/** `account/7` is a link, `credit` an account of the ledger. */
function Side({ name, account }: { name: string; account: string | null }) {
  const { names } = useOperateTexts().ledger.books
  const id = /^account\/(\d+)$/.exec(name)?.[1]
  if (id === undefined)
    return (
      <span title={names[name]} className="font-mono text-sm text-muted">
        {name}
      </span>
    )
  return (
    <Link href={`${pathOf('accounts')}/${id}`} className="wrap-anywhere underline">
      {account ?? `#${id}`}
    </Link>
  )
}
