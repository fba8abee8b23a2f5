import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function CodesPage() {
  const t = useOperateTexts().codes
  return <PageHeader title={t.title} help="browser#codes" />
}
