// The people of the account, and who is invited. An owner changes them; a member sees the own cap.

import { useState } from 'react'
import { useRead } from '../../../api/queries.ts'
import type { MemberRow } from '../../../api/types.ts'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { PostForm } from '../../../ui/form/post-form.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { Section } from '../../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../../ui/states.tsx'
import { Amount } from '../../../ui/values.tsx'
import { useTagsField } from '../../keys/tags.ts'
import { useTerms } from '../../keys/terms.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { OpenInvitations } from './open-invitations.tsx'

type Shown = { dialog: 'cap' | 'remove'; member: MemberRow } | { dialog: 'invite' }

export function MembersSection() {
  const t = useTexts().settings.members
  const { account } = useSession()
  const { data: members, error, refetch } = useRead('members')
  const [shown, setShown] = useState<Shown>()
  const mayChange = account.role === 'owner' && !account.disabled
  const close = () => setShown(undefined)
  return (
    <Section
      title={t.title}
      text={account.role === 'owner' ? t.text : t.ownText}
      actions={
        mayChange && (
          <Button icon="plus" onClick={() => setShown({ dialog: 'invite' })}>
            {t.invite.open}
          </Button>
        )
      }
    >
      {members ? (
        <ul className="divide-y rounded-md border">
          {members.map((member) => (
            <li key={member.email} className="flex items-center gap-x-4 px-3 py-2">
              <div className="min-w-0 grow">
                <div className="break-all">{member.email}</div>
                <div className="text-sm text-muted">
                  {t.roles[member.role]}
                  {' \u00b7 '}
                  <Cap member={member} />
                  {member.tags.length > 0 && (
                    <>
                      {' \u00b7 '}
                      <span className="wrap-anywhere">{member.tags.join(', ')}</span>
                    </>
                  )}
                </div>
                <div className="text-sm text-muted">
                  {t.spentThisMonth} <Amount usd={member.spent_this_month_usd} />
                  {' \u00b7 '}
                  {t.spentInAll} <Amount usd={member.spent_usd} />
                </div>
              </div>
              {mayChange && member.email !== account.email && (
                <Menu
                  trigger={<IconButton icon="more" label={t.actionsOf(member.email)} />}
                  items={[
                    ...(member.role === 'member'
                      ? [
                          {
                            label: t.change,
                            icon: 'edit' as const,
                            onSelect: () => setShown({ dialog: 'cap', member }),
                          },
                        ]
                      : []),
                    {
                      label: t.remove.open,
                      icon: 'trash',
                      danger: true,
                      onSelect: () => setShown({ dialog: 'remove', member }),
                    },
                  ]}
                />
              )}
            </li>
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <Skeleton size="h-16 w-full" />
      )}
      {mayChange && <OpenInvitations />}
      {shown?.dialog === 'cap' && <CapDialog member={shown.member} onClose={close} />}
      {shown?.dialog === 'remove' && <RemoveDialog member={shown.member} onClose={close} />}
      {shown?.dialog === 'invite' && <InviteDialog onClose={close} />}
    </Section>
  )
}

function Cap({ member: { cap_usd, cap_period, cap_left_usd } }: { member: MemberRow }) {
  const { settings, keys } = useTexts()
  if (cap_usd === null || cap_period === null || cap_left_usd === null) return settings.members.noCap
  return (
    <>
      {settings.members.cap} <Amount usd={cap_usd} /> ({keys.form.periods[cap_period]}), {settings.members.left}{' '}
      <Amount usd={cap_left_usd} />
    </>
  )
}

function CapDialog({ member, onClose }: { member: MemberRow; onClose(): void }) {
  const { settings, common } = useTexts()
  const t = settings.members
  const { email } = member
  return (
    <PostForm
      path="members"
      of={member}
      body={{ email }}
      title={t.changeOf(email)}
      action={common.save}
      fields={[useTerms().cap({ usual: 'month', hint: t.capHint }), useTagsField()]}
      said={t.saved(email)}
      refreshes={['members']}
      onClose={onClose}
    />
  )
}

function RemoveDialog({ member: { email }, onClose }: { member: MemberRow; onClose(): void }) {
  const t = useTexts().settings.members.remove
  return (
    <PostForm
      path="members/remove"
      body={{ email }}
      title={t.title(email)}
      action={t.submit}
      isDangerous
      fields={[
        <p key="text">{t.text}</p>,
        { name: 'keep_keys', label: t.keep, hint: t.keepHint, as: 'switch', usual: 'false' },
      ]}
      refreshes={['members', 'keys']}
      said={t.done(email)}
      onClose={onClose}
    />
  )
}
