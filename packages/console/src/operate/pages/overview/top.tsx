import { Link } from 'wouter'
import { Section } from '../../../ui/page.tsx'
import { EmptyRow } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { useNumber } from '../../../ui/values.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { requestsOf } from './links.ts'

type Overview = Output<'GET', 'overview'>
type Spent = { requests: number; charged_usd: string }

export function Top({ data }: { data: Overview }) {
  const { top } = data
  const requestsTo = requestsOf(data)
  const t = useOperateTexts().overview.top
  const number = useNumber()
  const figures = <T extends Spent>(filterOf: (row: T) => Readonly<Record<string, string>>): Column<T>[] => [
    {
      id: 'requests',
      label: t.requests,
      align: 'right',
      cell: (row) => <To href={requestsTo(filterOf(row))} text={number(row.requests)} />,
    },
    { id: 'charged', label: t.charged, usd: (row) => row.charged_usd },
  ]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-6 wide:grid-cols-[repeat(2,minmax(0,1fr))] min-[1400px]:grid-cols-[repeat(3,minmax(0,1fr))]">
      <List
        title={t.accounts}
        rows={top.accounts}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'account',
            label: t.account,
            shrinks: 'fills',
            cell: ({ id, name }) => <To href={LINKS.account(id)} text={name ?? t.deleted} />,
          },
          ...figures<Overview['top']['accounts'][number]>(({ id }) => ({ account: id })),
        ]}
      />
      <List
        title={t.models}
        rows={top.models}
        rowKey={({ id }) => id}
        columns={[
          { id: 'model', label: t.model, shrinks: 'fills', cell: ({ id }) => <To href={LINKS.model(id)} text={id} /> },
          ...figures<Overview['top']['models'][number]>(({ id }) => ({ model: id })),
        ]}
      />
      <List
        title={t.errors}
        rows={top.errors}
        rowKey={({ code }) => code}
        columns={[
          {
            id: 'code',
            label: t.code,
            shrinks: 'fills',
            cell: ({ code, count, rejected }) => (
              <To
                href={requestsTo(rejected === count ? { view: 'rejected', error_code: code } : { error_code: code })}
                text={code}
              />
            ),
          },
          { id: 'count', label: t.count, align: 'right', cell: ({ count }) => number(count) },
        ]}
      />
    </div>
  )
}

type ListProps<T> = { title: string; rows: readonly T[]; rowKey(row: T): string; columns: readonly Column<T>[] }

function List<T>({ title, rows, rowKey, columns }: ListProps<T>) {
  const t = useOperateTexts().overview.top
  return (
    <Section title={title} flush>
      <Table slim label={title} columns={columns} rows={rows} rowKey={rowKey} empty={<EmptyRow>{t.none}</EmptyRow>} />
    </Section>
  )
}

const To = ({ href, text }: { href: string; text: string }) => (
  <Link href={href} className="hover:underline" title={text}>
    {text}
  </Link>
)
