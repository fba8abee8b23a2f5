import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { AuditSection } from './audit.tsx'
import { BooksSection } from './books.tsx'
import { TransfersSection } from './transfers.tsx'

export default function LedgerPage() {
  const t = useOperateTexts().ledger
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="operate/browser#ledger" />
      <div className="grid items-start gap-x-6 full:grid-cols-[2fr_3fr] [&>*]:min-w-0">
        <BooksSection />
        <AuditSection />
      </div>
      <TransfersSection />
    </>
  )
}
