// What the holders of the account were told, and how it was delivered.
import { useTexts } from '../../../../i18n/language.tsx'
import { useNoticeColumns } from '../../../../pages/settings/notices/columns.tsx'
import { Section } from '../../../../ui/page.tsx'
import { EmptyState } from '../../../../ui/states.tsx'
import { AdminList } from '../../../ui/list.tsx'

export function NoticesTab({ account }: { account: string }) {
  const t = useTexts().notices.list
  const columns = useNoticeColumns()
  return (
    <Section flush title={t.title}>
      <AdminList
        path="accounts/{account}/notices"
        params={{ account }}
        label={t.title}
        columns={columns}
        every={15_000}
        narrow
        empty={<EmptyState title={t.empty} />}
      />
    </Section>
  )
}
