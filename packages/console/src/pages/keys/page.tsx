import { useTexts } from '../../i18n/language.tsx'
import { PageHeader } from '../../ui/page.tsx'

export default function KeysPage() {
  const t = useTexts().keys
  return <PageHeader title={t.title} />
}
