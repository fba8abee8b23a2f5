// What operators are told of: open alerts, rules with thresholds and mutes, where alerts are sent, and those of the past.

import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyRow } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { AdminList } from '../../ui/list.tsx'
import { useAlertColumns } from './columns.tsx'
import { Rules } from './rules.tsx'
import { Targets } from './targets.tsx'

export default function AlertsPage() {
  const t = useOperateTexts().alerts
  const past = useAlertColumns(false)
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="operate/browser#alerts" />
      <Open />
      <Rules />
      <Targets />
      <Section title={t.history.title} text={t.history.text} flush>
        <AdminList
          path="alerts"
          params={{ state: 'resolved', limit: '25' }}
          label={t.history.title}
          columns={past}
          expected={1}
          empty={<EmptyRow>{t.history.empty}</EmptyRow>}
        />
      </Section>
    </>
  )
}

function Open() {
  const t = useOperateTexts().alerts
  const query = useAdmin('alerts', { state: 'open' }, { every: LIVE })
  const columns = useAlertColumns(true)
  return (
    <Section title={t.open.title} flush>
      <List
        broad
        label={t.open.title}
        columns={columns}
        query={query}
        expected={1}
        empty={<EmptyRow>{t.open.empty}</EmptyRow>}
      />
    </Section>
  )
}
