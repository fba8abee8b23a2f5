import { Route, Switch } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { Wallet as WalletShown } from '../../api/types.ts'
import { lazyPage } from '../../app/lazy-page.tsx'
import { useSession } from '../../app/session.tsx'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { PageHeader, Section, Stat } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Amount, formatUsd } from '../../ui/values.tsx'
import { HistorySection } from './history.tsx'
import { OpenRequestsSection } from './open-requests.tsx'
import { StatementsSection } from './statements.tsx'
import { TopUpSection } from './top-up.tsx'

const hasLine = (wallet: WalletShown | undefined): boolean => wallet !== undefined && wallet.credit_line_usd !== '0.00'

const statementPage = lazyPage(() => import('./statement/page.tsx'))

export default function WalletPage() {
  return (
    <Switch>
      <Route path="/wallet/statements/:month" component={statementPage.page} />
      <Route component={Wallet} />
    </Switch>
  )
}

function Wallet() {
  const { texts, locale } = useLanguage()
  const t = texts.wallet
  const { account } = useSession()
  const { data: wallet, error, refetch } = useRead('wallet', {}, { every: 'live' })
  if (error && !wallet) {
    return (
      <>
        <PageHeader title={t.title} help="use/console#wallet" />
        <ErrorState error={error} retry={refetch} />
      </>
    )
  }
  return (
    <>
      <PageHeader title={t.title} help="use/console#wallet" />
      <div className="mb-6 grid gap-4 wide:grid-cols-3">
        <Stat label={t.available} note={hasLine(wallet) ? t.availableWithLine : t.availableNote}>
          {wallet && <Amount rounded usd={wallet.available_usd} />}
        </Stat>
        <Stat label={t.balance} note={t.balanceNote}>
          {wallet && <Amount rounded usd={wallet.balance_usd} />}
        </Stat>
        <Stat label={t.held} note={t.heldNote}>
          {wallet && <Amount rounded usd={wallet.held_usd} />}
        </Stat>
        {wallet && hasLine(wallet) && (
          <Stat label={t.creditLine} note={t.creditLineNote}>
            <Amount rounded usd={wallet.credit_line_usd} />
          </Stat>
        )}
        {wallet?.cap_usd && (
          <Stat label={t.capLeft} note={t.capNote(formatUsd(wallet.cap_usd, locale), wallet.cap_period)}>
            <Amount rounded usd={wallet.cap_left_usd ?? '0'} />
          </Stat>
        )}
      </div>
      <div className="grid items-start gap-x-6 full:grid-cols-[2fr_1fr] full:grid-rows-[auto_1fr]">
        <div className="min-w-0">
          <OpenRequestsSection open={wallet?.open} />
          {account.role === 'owner' && <StatementsSection />}
        </div>
        <div className="min-w-0 full:row-span-2">
          {account.role === 'owner' && <TopUpSection supportUrl={wallet?.support_url ?? null} />}
          <NoticeSection />
        </div>
        {/* The longest is the last: nothing moves when it is read, and small screens reach the forms before it. */}
        <div className="min-w-0">{account.role === 'owner' && <HistorySection />}</div>
      </div>
    </>
  )
}

function NoticeSection() {
  const session = useSession()
  const { wallet, common } = useTexts()
  const t = wallet.notice
  return (
    <Section title={t.title} text={t.text}>
      <PostForm
        // What is typed stays while the session is read again; another threshold replaces it.
        key={session.low_balance_usd}
        path="preferences"
        of={session}
        className="flex flex-col gap-3"
        fields={[
          {
            name: 'low_balance_usd',
            label: t.amount,
            hint: t.hint,
            as: 'amount',
            optional: false,
            wrong: (text) => !/^\d{1,9}(\.\d{1,9})?$/.test(text) && t.invalid,
          },
        ]}
        said={common.saved}
        refreshes={['session']}
      />
    </Section>
  )
}
