import { useTexts } from '../../i18n/language.tsx'
import { PageHeader } from '../../ui/page.tsx'

export default function OverviewPage() {
  const t = useTexts().overview
  return <PageHeader title={t.title} />
}
