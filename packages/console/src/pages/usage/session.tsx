// What a session used: sessions have no sums, so its newest requests are added up.
import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Stat } from '../../ui/page.tsx'
import { Amount, Count } from '../../ui/values.tsx'

export type SessionSums = { requests: number; tokens: number; charged_usd: string; is_all: boolean }

export function SessionTotals({ session }: { session: string }) {
  const { data } = useRead('usage/session', { session }, { every: 'live' })
  return <SessionStats session={session} sums={data} />
}

export function SessionStats({ session, sums }: { session: string; sums: SessionSums | undefined }) {
  const t = useTexts().usage
  return (
    <section aria-label={t.session.title(session)} className="mb-4">
      <h2 className="mb-2 font-semibold wrap-anywhere">{t.session.title(session)}</h2>
      <div className="grid gap-4 wide:grid-cols-3">
        <Stat label={t.total.spend}>{sums && <Amount rounded usd={sums.charged_usd} />}</Stat>
        <Stat label={t.total.requests}>{sums && <Count value={sums.requests} />}</Stat>
        <Stat label={t.total.tokens}>{sums && <Count value={sums.tokens} />}</Stat>
      </div>
      <p className="mt-2 text-sm text-muted">{sums?.is_all === false ? t.session.newest : t.session.text}</p>
    </section>
  )
}
