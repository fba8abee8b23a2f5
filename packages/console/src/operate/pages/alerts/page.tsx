import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function AlertsPage() {
  const t = useOperateTexts().alerts
  return <PageHeader title={t.title} help="browser#alerts" />
}
