import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function ModelsPage() {
  const t = useOperateTexts().models
  return <PageHeader title={t.title} help="browser#models" />
}
