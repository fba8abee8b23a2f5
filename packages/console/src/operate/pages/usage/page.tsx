import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function UsagePage() {
  const t = useOperateTexts().usage
  return <PageHeader title={t.title} help="browser#usage" />
}
