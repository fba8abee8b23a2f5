import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'

export function AccountName() {
  const t = useTexts().settings.account
  const { account } = useSession()
  return (
    <PostForm
      path="account"
      of={account}
      className="mt-4 flex max-w-[360px] flex-col gap-4"
      fields={[{ name: 'name', label: t.name, missing: t.nameMissing }]}
      said={t.renamed}
      refreshes={['session']}
    />
  )
}
