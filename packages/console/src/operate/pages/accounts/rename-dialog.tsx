import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import type { Account } from './account-state.tsx'

export function RenameDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const t = useOperateTexts().accounts.rename
  const question = useWords()('account edit', account.name)
  return (
    <ActForm
      method="PATCH"
      path="accounts/{account}"
      params={{ account: account.id }}
      of={account}
      title={t.form(account.name)}
      action={t.check}
      fields={[{ name: 'name', label: t.name, missing: t.missing }]}
      question={question}
      undo={question.title}
      onClose={onClose}
    />
  )
}
