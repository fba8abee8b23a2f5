import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function MarginPage() {
  const t = useOperateTexts().margin
  return <PageHeader title={t.title} help="browser#margin" />
}
