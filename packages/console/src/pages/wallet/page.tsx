import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { PageHeader, Stat } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Amount } from '../../ui/values.tsx'
import { HistorySection } from './history.tsx'
import { NoticeSection } from './notice.tsx'
import { OpenRequestsSection } from './open-requests.tsx'
import { StatementsSection } from './statements.tsx'
import { TopUpSection } from './top-up.tsx'

export default function WalletPage() {
  const t = useTexts().wallet
  const { data: wallet, error, refetch } = useRead('wallet', {}, { every: 'live' })
  if (error && !wallet) {
    return (
      <>
        <PageHeader title={t.title} />
        <ErrorState error={error} retry={refetch} />
      </>
    )
  }
  return (
    <>
      <PageHeader title={t.title} />
      <div className="mb-6 grid gap-4 wide:grid-cols-3">
        <Stat label={t.available} note={t.availableNote}>
          {wallet && <Amount usd={wallet.available_usd} />}
        </Stat>
        <Stat label={t.balance} note={t.balanceNote}>
          {wallet && <Amount usd={wallet.balance_usd} />}
        </Stat>
        <Stat label={t.held} note={t.heldNote}>
          {wallet && <Amount usd={wallet.held_usd} />}
        </Stat>
      </div>
      <div className="grid items-start gap-x-6 full:grid-cols-[2fr_1fr] full:grid-rows-[auto_1fr]">
        <div className="min-w-0">
          <OpenRequestsSection open={wallet?.open} />
          <StatementsSection />
        </div>
        <div className="min-w-0 full:row-span-2">
          <TopUpSection supportUrl={wallet?.support_url ?? null} />
          <NoticeSection />
        </div>
        {/* The longest is the last: nothing moves when it is read, and small screens reach the forms before it. */}
        <div className="min-w-0">
          <HistorySection />
        </div>
      </div>
    </>
  )
}
