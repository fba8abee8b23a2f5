import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function PeoplePage() {
  const t = useOperateTexts().people
  return <PageHeader title={t.title} help="browser#people" />
}
