// The drawer in which the owner of an account makes or changes a budget.

import { useRead } from '../../api/queries.ts'
import type { BudgetRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { useKeyChoices, useModelChoices } from '../../ui/form/choices-of.ts'
import { PostForm } from '../../ui/form/post-form.tsx'
import { shownTerms, useBudgetSubject, useBudgetTerms } from './fields.tsx'
import { useBudgetName } from './shown.tsx'

/** What the owner of an account can limit. */
export const KINDS = ['account', 'member', 'key', 'key_model', 'tag', 'end_user'] as const

/** Without a subject: a new one. */
export function BudgetForm({ subject, onClose }: { subject: BudgetRow | undefined; onClose(): void }) {
  const { budgets, common } = useTexts()
  const t = budgets.form
  const { data: members = [] } = useRead('members')
  const nameOf = useBudgetName()
  const terms = useBudgetTerms(subject !== undefined)
  const subjectFields = useBudgetSubject({
    kinds: KINDS,
    useKeys: useKeyChoices,
    useModels: useModelChoices,
    person: {
      as: [{ value: '', label: t.choose }, ...members.map(({ email }) => ({ value: email, label: email }))],
    },
  })
  const shared = { isLong: true, onClose, refreshes: ['budgets'] }
  return subject ? (
    <PostForm
      {...shared}
      path="budgets/{id}"
      params={{ id: subject.id }}
      isChange
      of={shownTerms(subject)}
      title={t.editTitle(nameOf(subject))}
      action={common.save}
      fields={terms}
      said={t.saved}
    />
  ) : (
    <PostForm
      {...shared}
      path="budgets"
      title={t.createTitle}
      action={budgets.create}
      fields={[...(subjectFields as typeof terms), ...terms]}
      said={t.created}
    />
  )
}
