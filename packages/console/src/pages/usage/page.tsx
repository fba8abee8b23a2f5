import { useTexts } from '../../i18n/language.tsx'
import { PageHeader } from '../../ui/page.tsx'

export default function UsagePage() {
  const t = useTexts().usage
  return <PageHeader title={t.title} />
}
