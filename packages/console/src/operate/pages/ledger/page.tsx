import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function LedgerPage() {
  const t = useOperateTexts().ledger
  return <PageHeader title={t.title} help="browser#ledger" />
}
