import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function ConfigurationPage() {
  const t = useOperateTexts().configuration
  return <PageHeader title={t.title} help="browser#configuration" />
}
