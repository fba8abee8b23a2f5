// Takes a person out of the account, at once.
import type { MemberRow } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { PostForm } from '../../../ui/form/post-form.tsx'

export function RemoveDialog({ member: { email }, onClose }: { member: MemberRow; onClose(): void }) {
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
