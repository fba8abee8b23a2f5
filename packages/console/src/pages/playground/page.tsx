import { useTexts } from '../../i18n/language.tsx'
import { PageHeader } from '../../ui/page.tsx'

export default function PlaygroundPage() {
  const t = useTexts().playground
  return <PageHeader title={t.title} />
}
