// What the accounts of the ledger hold, and the proof at a glance: together they are zero.

import { nanosOf, usdText } from '../../../pages/usage/series.ts'
import { Section } from '../../../ui/page.tsx'
import { Badge, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { Amount, isZero } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { CsvLink } from '../../ui/list.tsx'

type Book = Schemas['LedgerAccount']

const EVERY_MS = 60_000
/** As many as there are. */
const WAITING: readonly { id: string; balance_usd?: undefined }[] = Array.from({ length: 7 }, (_, index) => ({
  id: String(index),
}))

export function BooksSection() {
  const t = useOperateTexts().ledger.books
  const { data, error, refetch } = useAdmin('ledger/accounts', {}, { every: EVERY_MS, staleTime: EVERY_MS / 2 })
  const sum = usdText((data?.data ?? []).reduce((all, { balance_usd }) => all + nanosOf(balance_usd), 0n))
  return (
    <Section flush title={t.title} text={t.text} actions={<CsvLink path="ledger/accounts" />}>
      {error && !data ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <>
          <ul aria-label={t.title}>
            {(data?.data ?? WAITING).map((book) => (
              <li
                key={book.id}
                className="flex min-h-14 items-center justify-between gap-4 border-b px-4 py-2 last:border-b-0"
              >
                {book.balance_usd !== undefined ? <BookLine book={book} /> : <Skeleton size="h-4 w-40" />}
              </li>
            ))}
          </ul>
          <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-t px-4 py-2">
            <span className="font-medium">{t.sum}</span>
            {data && (
              <span className="flex flex-wrap items-center gap-2">
                <Badge tone={isZero(sum) ? 'good' : 'bad'}>{isZero(sum) ? t.zero : t.notZero}</Badge>
                <Amount usd={sum} />
              </span>
            )}
          </div>
        </>
      )}
    </Section>
  )
}

function BookLine({ book: { id, balance_usd: balance, held_usd: held } }: { book: Book }) {
  const t = useOperateTexts().ledger.books
  return (
    <>
      <span className="flex min-w-0 flex-col">
        {t.names[id] ?? id}
        <span className="font-mono text-sm text-muted">{id}</span>
      </span>
      <span className="flex flex-col items-end">
        <Amount usd={balance} />
        {held !== null && !isZero(held) && (
          <span className="text-sm text-muted">
            {t.held}: <Amount usd={held} />
          </span>
        )}
      </span>
    </>
  )
}
