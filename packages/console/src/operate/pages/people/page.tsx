import { Tabs } from '../../../ui/overlay.tsx'
import { PageHeader } from '../../../ui/page.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { AdminKeysSection } from './admin-keys.tsx'
import { InvitationsSection } from './invitations.tsx'
import { InviteDialog } from './invite.tsx'
import { RolesSection } from './roles.tsx'
import { SignInsSection } from './sign-ins.tsx'
import { TeamSection } from './team.tsx'

/** The filters of one tab mean nothing to another. */
const STATE = { tab: 'team', after: '', role: '', email: '', disabled: '', actor: '' }

export default function PeoplePage() {
  const t = useOperateTexts().people
  const [{ tab }, setState] = useUrlState(STATE)
  const [isInviting, setInviting] = useOpenByAddress('invite', 'people')
  const tabs = [
    { id: 'team', label: t.tabs.team, content: <TeamSection /> },
    { id: 'invitations', label: t.tabs.invitations, content: <InvitationsSection /> },
    { id: 'adminKeys', label: t.tabs.adminKeys, content: <AdminKeysSection /> },
    { id: 'signIns', label: t.tabs.signIns, content: <SignInsSection /> },
    { id: 'roles', label: t.tabs.roles, content: <RolesSection /> },
  ]
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#people"
        actions={
          <ActButton permission="people" variant="primary" icon="plus" onClick={() => setInviting(true)}>
            {t.invite.button}
          </ActButton>
        }
      />
      <Tabs
        label={t.tabs.label}
        tabs={tabs}
        value={tabs.some(({ id }) => id === tab) ? tab : STATE.tab}
        onChange={(id) => setState({ ...STATE, tab: id }, { replace: false })}
      />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}
