// A budget that operators make or change: of an account, or across accounts.

import { useTexts } from '../../../i18n/language.tsx'
import { type Kind, shownTerms, useBudgetSubject, useBudgetTerms } from '../../../pages/budgets/fields.tsx'
import { useBudgetName } from '../../../pages/budgets/shown.tsx'
import { usePaused } from '../../../ui/form/choices-of.ts'
import type { UseChoices } from '../../../ui/form/combobox.tsx'
import type { Field } from '../../../ui/form/fields.ts'
import { textIn, type Values } from '../../../ui/form/typed-values.ts'
import { useModelChoices } from '../../api/choices.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'

const INSIDE: readonly Kind[] = ['account', 'member', 'key', 'key_model', 'tag', 'end_user']
const ALL: readonly Kind[] = [...INSIDE, 'group', 'all']
/** A key has an account; a tag may be across accounts. */
const WITH_ACCOUNT: readonly string[] = ['account', 'member', 'tag', 'end_user']

const keysOf =
  (account: string): UseChoices =>
  (typed, isOpen) => {
    const search = usePaused(typed)
    const params = { account, search, state: 'active', limit: '50' }
    const { data } = useAdmin('keys', params, { enabled: isOpen, keepPrevious: true, staleTime: 15_000 })
    const options = data?.data.map(({ id, name, account: whose }) => ({
      value: id,
      label: account === '' ? `${name} (${whose})` : name,
    }))
    return options && { options, total: options.length + (data?.has_more ? 1 : 0) }
  }

type BudgetFormProps = {
  /** Absent: a new one. */
  subject?: Row<'budgets'>
  /** The one that gets a new budget. */
  account?: string
  onClose(): void
}

export function AdminBudgetForm({ subject, account = '', onClose }: BudgetFormProps) {
  const texts = useTexts()
  const t = useOperateTexts().budgets
  const shared = texts.budgets.form
  const words = useWords()
  const nameOf = useBudgetName()
  const terms = useBudgetTerms(subject !== undefined)
  const groups = useAdmin('groups', { limit: '1000' }, { enabled: account === '' }).data?.data.map(({ id }) => id) ?? []
  const ofAccount: Field<'account'> = {
    name: 'account',
    label: t.account,
    hint: (_, values) => (textIn(values, 'kind') === 'tag' ? t.accountOptional : t.accountHint),
    optional: false,
    isShown: (values) => WITH_ACCOUNT.includes(textIn(values, 'kind')),
    rejected: t.accountMissing,
  }
  const subjectFields = useBudgetSubject({
    kinds: account === '' ? ALL : INSIDE,
    useKeys: keysOf(account),
    useModels: useModelChoices,
    person: { placeholder: 'ada@example.com' },
    groups,
    ...(account === '' ? { account: ofAccount } : {}),
  })
  if (subject)
    return (
      <ActForm
        isLong
        method="PATCH"
        path="budgets/{budget}"
        params={{ budget: subject.id }}
        of={shownTerms(subject)}
        title={shared.editTitle(nameOf(subject))}
        action={t.review}
        fields={terms}
        question={words('budget change', nameOf(subject))}
        onClose={onClose}
      />
    )
  const named = (values: Values): string => {
    const part = (name: string) => textIn(values, name) || undefined
    const key = (values.key as { label?: string } | undefined)?.label ?? ''
    const model = (values.model as { label?: string } | undefined)?.label ?? ''
    const value = part('value') ?? ''
    return nameOf({
      kind: textIn(values, 'kind') as Kind,
      key,
      key_id: '',
      email: part('person') ?? '',
      person_id: '',
      model,
      value,
    })
  }
  return (
    <ActForm
      isLong
      method="POST"
      path="budgets"
      {...(account === ''
        ? {}
        : { body: (values) => (WITH_ACCOUNT.includes(textIn(values, 'kind')) ? { account } : {}) })}
      title={shared.createTitle}
      action={t.review}
      fields={[...(subjectFields as typeof terms), ...terms]}
      question={(_, values) => ({ ...words('budget create', named(values)), hideChanges: true })}
      onClose={onClose}
    />
  )
}
