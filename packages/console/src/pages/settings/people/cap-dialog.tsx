// What all keys of a member may spend together.
import type { MemberRow } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { PostForm } from '../../../ui/form/post-form.tsx'
import { useTerms } from '../../keys/terms.tsx'

export function CapDialog({ member, onClose }: { member: MemberRow; onClose(): void }) {
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
      fields={[useTerms().cap({ usual: 'month', hint: t.capHint })]}
      said={t.saved(email)}
      refreshes={['members']}
      onClose={onClose}
    />
  )
}
