import { useTexts } from '../../i18n/language.tsx'
import { PageHeader } from '../../ui/page.tsx'

export default function ModelsPage() {
  const t = useTexts().models
  return <PageHeader title={t.title} />
}
