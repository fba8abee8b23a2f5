// A new account, of a person by the email address, or of none by a name.

import { textIn, type Values } from '../../../ui/form/typed-values.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import { useMay } from '../../ui/permissions.ts'

const ownerIn = (values: Values) => textIn(values, '+owner').trim()

export function CreateAccountDialog({ onClose, onCreated }: { onClose(): void; onCreated(id: string): void }) {
  const t = useOperateTexts().accounts.create
  const words = useWords()
  const may = useMay()
  return (
    <ActForm
      method="POST"
      path="accounts"
      title={words('account create').action}
      action={t.check}
      fields={[
        {
          name: '+owner',
          label: t.owner,
          hint: t.ownerHint,
          placeholder: 'ada@example.com',
          missing: t.missing,
          abouts: ['email', 'name'],
        },
        may('money') && { name: 'credit_usd', label: t.credit, hint: t.creditHint, as: 'amount' },
      ]}
      body={(values) => ({ [ownerIn(values).includes('@') ? 'email' : 'name']: ownerIn(values) })}
      question={(_, values) => words('account create', ownerIn(values))}
      onClose={onClose}
      onDone={({ id }) => onCreated(id)}
    />
  )
}
