import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function UpstreamsPage() {
  const t = useOperateTexts().upstreams
  return <PageHeader title={t.title} help="browser#upstreams" />
}
