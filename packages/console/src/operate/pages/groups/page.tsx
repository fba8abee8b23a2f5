import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function GroupsPage() {
  const t = useOperateTexts().groups
  return <PageHeader title={t.title} help="browser#groups" />
}
