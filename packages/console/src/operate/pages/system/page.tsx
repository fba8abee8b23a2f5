import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function SystemPage() {
  const t = useOperateTexts().system
  return <PageHeader title={t.title} help="browser#system" />
}
