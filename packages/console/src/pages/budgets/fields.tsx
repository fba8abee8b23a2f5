// The fields of a budget: what it is for, how much, how often, and what happens then.

import type { ReactNode } from 'react'
import type { BudgetRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Combobox, type UseChoices } from '../../ui/form/combobox.tsx'
import { type Entry, type Field, ownField } from '../../ui/form/fields.ts'
import { textIn, type Values, wordsIn } from '../../ui/form/typed-values.ts'
import { isAmount } from '../keys/entered.ts'
import { pair } from '../keys/terms.tsx'

export type Kind = BudgetRow['kind']

const PERIODS = ['never', 'day', 'week', 'month', 'hours'] as const
const MOST_HOURS = 8_784
const MOST_ALERTS = 10
const LONGEST_TEXT = 500
const LONGEST_TAG = 64

const isHourly = (values: Values) => textIn(values, 'period') === 'hours'
const isPercent = (word: string) => /^[1-9]\d{0,2}$/.test(word) && Number(word) <= 100
const percentsIn = (text: string) => wordsIn(text.replaceAll('%', ' '))

type TermName = 'amount_usd' | 'period' | 'every_hours' | 'starts_at' | 'hard' | 'alerts' | 'text'

/** `isChange`: of a budget that counts already. */
export function useBudgetTerms(isChange: boolean): readonly Entry<TermName>[] {
  const t = useTexts().budgets.form
  return [
    {
      frame: pair,
      fields: [
        {
          name: 'amount_usd',
          label: t.amount,
          as: 'amount',
          placeholder: '50.00',
          missing: t.errors.amount,
          wrong: (text) => !isAmount(text) && t.errors.amount,
        },
        {
          name: 'period',
          label: t.period,
          usual: isChange ? 'never' : 'month',
          as: PERIODS.map((value) => ({ value, label: t.periods[value] })),
          ...(isChange ? { hint: t.anew } : {}),
          write: (text) => (text === 'never' ? null : text),
        },
      ],
    },
    {
      frame: pair,
      isShown: isHourly,
      fields: [
        {
          name: 'every_hours',
          label: t.hours,
          as: 'number',
          usual: '5',
          missing: t.errors.hours,
          wrong: (text) => !(/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST_HOURS) && t.errors.hours,
        },
        {
          name: 'starts_at',
          label: t.starts,
          hint: t.startsHint,
          type: 'datetime-local',
          optional: true,
          write: (text) => (text === '' ? null : new Date(text).toISOString()),
        },
      ],
    },
    { name: 'hard', label: t.hard, hint: t.hardHint, as: 'switch', usual: 'true' },
    {
      name: 'alerts',
      label: t.alerts,
      hint: t.alertsHint,
      as: 'words',
      usual: isChange ? '' : '80, 100',
      optional: true,
      wrong: (text) => {
        const words = percentsIn(text)
        return (words.length > MOST_ALERTS || !words.every(isPercent)) && t.errors.alerts
      },
      write: (text) => [...new Set(percentsIn(text).map(Number))].sort((one, other) => one - other),
    },
    {
      name: 'text',
      label: t.text,
      hint: t.textHint,
      as: 'area',
      rows: 2,
      maxLength: LONGEST_TEXT,
      optional: true,
      write: (text) => text,
    },
  ]
}

/** As fields show it: times without a zone. */
export const shownTerms = (budget: BudgetRow): object => ({
  ...budget,
  starts_at: budget.starts_at === null ? '' : localTime(new Date(budget.starts_at)),
})

const localTime = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

type SubjectName = 'kind' | 'account' | 'key' | 'person' | 'model' | 'value'
type SubjectParts = {
  kinds: readonly Kind[]
  useKeys: UseChoices
  useModels: UseChoices
  /** How the people of the account are entered. */
  person: Pick<Field, 'as' | 'placeholder' | 'usual'>
  /** Those of the gateway. */
  groups?: readonly string[]
  /** The field of the account, for operators. */
  account?: Field<'account'>
}

const ofKind =
  (...kinds: readonly Kind[]) =>
  (values: Values) =>
    kinds.some((kind) => kind === textIn(values, 'kind'))

/** Which fields there are depends on the kind. */
export function useBudgetSubject(parts: SubjectParts): readonly Entry<SubjectName>[] {
  const { kinds, useKeys, useModels, person, groups = [], account } = parts
  const { budgets } = useTexts()
  const t = budgets.form
  const value = (kind: Kind, field: Omit<Field<'value'>, 'name'>): Field<'value'> => ({
    name: 'value',
    isShown: ofKind(kind),
    ...field,
  })
  return [
    {
      name: 'kind',
      label: t.kind,
      usual: kinds[0] ?? '',
      as: kinds.map((kind) => ({ value: kind, label: budgets.kinds[kind] })),
      hint: (kind) => t.kindHints[kind as Kind],
    },
    account,
    {
      ...chosen('key', { label: t.key, useChoices: useKeys, missing: t.errors.key }),
      isShown: ofKind('key', 'key_model'),
    },
    {
      ...chosen('model', { label: t.model, useChoices: useModels, missing: t.errors.model }),
      isShown: ofKind('key_model'),
    },
    { name: 'person', label: t.member, missing: t.errors.member, isShown: ofKind('member'), ...person },
    value('tag', {
      label: t.tag,
      hint: t.tagHint,
      placeholder: t.tagPlaceholder,
      missing: t.errors.tag,
      rejected: t.errors.tag,
      wrong: (text) => (text.length > LONGEST_TAG || text.includes(',') || text.startsWith('=')) && t.errors.tag,
    }),
    value('end_user', { label: t.endUser, hint: t.endUserHint, maxLength: 256, missing: t.errors.endUser }),
    value('group', {
      label: budgets.kinds.group,
      missing: t.choose,
      as: [{ value: '', label: t.choose }, ...groups.map((id) => ({ value: id, label: id }))],
    }),
  ]
}

type Choice = { value: string; label: string }
type ChosenProps = { label: string; useChoices: UseChoices; missing: string }

/** One of many, which the server finds. It keeps how the choice is called beside what is sent. */
function chosen<N extends string>(name: N, { label, useChoices, missing }: ChosenProps): Field<N> {
  const none: Choice = { value: '', label: '' }
  return ownField<Choice, N>(name, {
    first: none,
    wrong: ({ value }) => value === '' && missing,
    write: ({ value }) => (value === '' ? undefined : value),
    show: ({ value, onChange, errors }) => (
      <NamedCombobox label={label} value={value} onChange={onChange} useChoices={useChoices} error={errors[name]} />
    ),
  })
}

type NamedProps = Omit<ChosenProps, 'missing'> & {
  value: Choice
  onChange(value: Choice): void
  error: string | undefined
}

function NamedCombobox({ label, value, onChange, useChoices, error }: NamedProps): ReactNode {
  // The list that is open has the name of what is chosen.
  let found: ReturnType<UseChoices>
  const useNamed: UseChoices = (typed, isOpen) => {
    found = useChoices(typed, isOpen)
    return found
  }
  return (
    <Combobox
      label={label}
      value={value.value}
      shown={value.label}
      error={error}
      useChoices={useNamed}
      onChange={(next) =>
        onChange({ value: next, label: found?.options.find((option) => option.value === next)?.label ?? next })
      }
    />
  )
}
