import { PageHeader } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export default function AuditLogPage() {
  const t = useOperateTexts().auditLog
  return <PageHeader title={t.title} help="browser#audit-log" />
}
