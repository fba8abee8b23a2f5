// A person of the account: the role, and for members a cap.

import { useTagsField } from '../../../../pages/keys/tags.ts'
import { useTerms } from '../../../../pages/keys/terms.tsx'
import { textIn } from '../../../../ui/form/typed-values.ts'
import type { Output } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useWords } from '../../../i18n/use-words.ts'
import { ActForm } from '../../../ui/act-form.tsx'
import { useMay } from '../../../ui/permissions.ts'

export type Person = Output<'GET', 'accounts/{account}/members'>['people'][number]

/** Without a person: a new one. */
export function MemberDialog({ account, person, onClose }: { account: string; person?: Person; onClose(): void }) {
  const { accounts } = useOperateTexts()
  const t = accounts.peopleTab
  const words = useWords()
  const mayMoney = useMay()('money')
  const tags = useTagsField()
  const cap = useTerms().cap({ usual: 'month', hint: t.capHint })
  return (
    <ActForm
      method="POST"
      path="accounts/{account}/members"
      params={{ account }}
      {...(person ? { of: person } : {})}
      title={person ? t.edit.title(person.email) : t.add.title}
      action={t.check}
      fields={[
        {
          name: 'email',
          label: t.email,
          type: 'email',
          missing: t.add.missing,
          isDisabled: () => person !== undefined,
          ...(person ? {} : { hint: t.add.hint }),
        },
        {
          name: 'role',
          label: t.role,
          usual: 'member',
          as: (['member', 'owner'] as const).map((value) => ({ value, label: accounts.roles[value] })),
          hint: t.ownerHint,
        },
        mayMoney && { ...cap, isShown: ({ role }) => role === 'member' },
        tags,
      ]}
      question={(_, values) => {
        const { ask, action, done } = t.add
        const email = textIn(values, 'email').trim()
        return person ? words('account member', email) : { title: ask(email), action, done }
      }}
      onClose={onClose}
    />
  )
}
