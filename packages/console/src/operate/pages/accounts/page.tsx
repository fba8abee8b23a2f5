import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function AccountsPage() {
  const t = useOperateTexts().accounts
  return <PageHeader title={t.title} help="browser#accounts" />
}
