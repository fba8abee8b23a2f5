import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function OverviewPage() {
  const t = useOperateTexts().overview
  return <PageHeader title={t.title} help="browser#overview" />
}
