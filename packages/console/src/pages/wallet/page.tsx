import { useTexts } from '../../i18n/language.tsx'
import { PageHeader } from '../../ui/page.tsx'

export default function WalletPage() {
  const t = useTexts().wallet
  return <PageHeader title={t.title} />
}
