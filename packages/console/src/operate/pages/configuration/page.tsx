import { Redirect, Route, Switch } from 'wouter'
import { NotFound } from '../../../app/not-found.tsx'
import { Tabs } from '../../../ui/overlay.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { pathOf } from '../../page-ids.ts'
import { Entries } from './entries.tsx'
import { Exchange } from './exchange.tsx'
import { Mail } from './mail.tsx'
import { Revisions } from './revisions.tsx'
import { Settings } from './settings.tsx'

/** Filters, cursors and open rows belong to the tab that they were set in. */
const OTHERS = { kind: '', from: '', state: '', after: '', revision: '', compare: '', find: '' }

export default function ConfigurationPage() {
  const path = pathOf('configuration')
  return (
    <Switch>
      <Route path={path} component={Configuration} />
      <Route path={`${path}/revisions/:revision`}>
        {({ revision }) => <Redirect to={LINKS.revision(decodeURIComponent(revision))} replace />}
      </Route>
      <Route component={NotFound} />
    </Switch>
  )
}

function Configuration() {
  const t = useOperateTexts().configuration
  const [{ tab }, setUrl] = useUrlState({ tab: 'entries', ...OTHERS })
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="operate/browser#configuration" />
      <Tabs
        label={t.tabs.label}
        value={tab}
        onChange={(next) => setUrl({ ...OTHERS, tab: next })}
        tabs={[
          { id: 'entries', label: t.tabs.entries, content: <Entries /> },
          { id: 'settings', label: t.tabs.settings, content: <Settings /> },
          { id: 'revisions', label: t.tabs.revisions, content: <Revisions /> },
          { id: 'exchange', label: t.tabs.exchange, content: <Exchange /> },
          { id: 'mail', label: t.tabs.mail, content: <Mail /> },
        ]}
      />
    </>
  )
}
