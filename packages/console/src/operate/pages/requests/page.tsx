import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function RequestsPage() {
  const t = useOperateTexts().requests
  return <PageHeader title={t.title} help="browser#requests" />
}
