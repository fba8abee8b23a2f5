import { Link, useLocation } from 'wouter'
import { urlOf } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { Button, ButtonAnchor } from '../../../ui/button.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { Skeleton } from '../../../ui/states.tsx'
import { useMonthName } from './month-name.ts'
import { StatementView } from './view.tsx'

export default function StatementPage() {
  const [location] = useLocation()
  const month = location.split('/')[3] ?? ''
  const { wallet } = useTexts()
  const t = wallet.statements
  const nameOf = useMonthName()
  const isMonth = /^\d{4}-(0[1-9]|1[0-2])$/.test(month)
  const query = useRead('wallet/statement', { month })
  return (
    <>
      <PageHeader
        title={isMonth ? t.titleOf(nameOf(month)) : t.title}
        help="use/console#wallet"
        text={
          <Link href="/wallet" className="text-link hover:underline print:hidden">
            {wallet.title}
          </Link>
        }
        actions={
          <>
            <Button onClick={() => window.print()}>{t.print}</Button>
            <ButtonAnchor
              icon="download"
              href={urlOf('console', 'wallet/statements/{month}', { month: `${month}.csv` })}
              download
            >
              CSV
            </ButtonAnchor>
          </>
        }
      />
      <Loaded query={query} skeleton={<Skeleton size="h-96 w-full" />}>
        {(statement) => <StatementView statement={statement} />}
      </Loaded>
    </>
  )
}
