import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function KeysPage() {
  const t = useOperateTexts().keys
  return <PageHeader title={t.title} help="browser#keys" />
}
