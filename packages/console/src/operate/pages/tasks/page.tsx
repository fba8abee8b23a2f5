import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function TasksPage() {
  const t = useOperateTexts().tasks
  return <PageHeader title={t.title} help="browser#tasks" />
}
