// The fields for the group, the spending cap and the expiry of a key.

import type { GroupRow, KeyRow } from '../../api/types.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { formatTime } from '../../ui/values.tsx'
import {
  EXPIRY_DAYS,
  type Expiry,
  type KeyErrors,
  type KeyValues,
  LIMITS,
  PERIODS,
  type Period,
} from './form-values.ts'

type FieldsProps = { values: KeyValues; set(change: Partial<KeyValues>): void }

const MOST_NAMES = 4

export function GroupField({
  groups,
  models: names,
  values: { group },
  set,
  error,
}: FieldsProps & { groups: readonly GroupRow[]; models: readonly string[]; error: string | undefined }) {
  const t = useTexts().keys.form
  const chosen = groups.find(({ id }) => id === group)
  const hint = chosen
    ? [
        t.groupHint,
        t.groupPrice(chosen.multiplier),
        names.length > 0 && t.groupModels(names.slice(0, MOST_NAMES).join(', '), names.length - MOST_NAMES),
      ]
    : [t.groupGone]
  const options = groups.map(({ id, models: count }) => ({ value: id, label: t.groupOption(id, count) }))
  return (
    <SelectField
      label={t.group}
      value={group}
      onChange={(next) => set({ group: next })}
      options={chosen ? options : [{ value: group, label: group }, ...options]}
      hint={hint.filter(Boolean).join(' ')}
      error={error}
    />
  )
}

type Ceiling = KeyRow['ceiling'] | undefined

type CapValues = Pick<KeyValues, 'cap' | 'period'>
type CapProps = {
  values: CapValues
  set(change: Partial<CapValues>): void
  errors: Partial<Record<'cap' | 'period', string>>
  ceiling?: Ceiling
  hint?: string
}

/** The cap of a key or an account. */
export function CapFields({ values: { cap, period }, set, errors, ceiling, hint }: CapProps) {
  const t = useTexts().keys.form
  const periods: readonly Period[] = ['never', ...PERIODS]
  const every = ceiling?.cap_period ? ` (${t.periods[ceiling.cap_period]})` : ''
  const most = ceiling?.cap_usd && t.most(`${ceiling.cap_usd} USD${every}`)
  return (
    <div className="grid grid-cols-2 items-start gap-x-3">
      <TextField
        label={t.cap}
        optional
        inputMode="decimal"
        autoComplete="off"
        placeholder={t.capPlaceholder}
        value={cap}
        onChange={(next) => set({ cap: next })}
        hint={most || (hint ?? t.capHint)}
        error={errors.cap}
      />
      <SelectField
        label={t.period}
        value={period}
        disabled={cap.trim() === ''}
        onChange={(next) => set({ period: next as Period })}
        options={periods.map((each) => ({ value: each, label: t.periods[each] }))}
        error={errors.period}
      />
    </div>
  )
}

export function ExpiryFields({
  values: { expiry, expiryTime },
  set,
  errors,
  kept,
  ceiling,
}: FieldsProps & { errors: KeyErrors; kept: string | null; ceiling: Ceiling }) {
  const t = useTexts().keys.form
  const { locale } = useLanguage()
  const presets = Object.keys(EXPIRY_DAYS) as (keyof typeof EXPIRY_DAYS)[]
  const options = [
    ...(kept === null ? [] : [{ value: 'keep', label: t.keepExpiry(formatTime(kept, locale)) }]),
    ...(['never', ...presets, 'custom'] as const).map((each) => ({ value: each, label: t.expiries[each] })),
  ]
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label={t.expiry}
        value={expiry}
        onChange={(next) => set({ expiry: next as Expiry })}
        options={options}
        hint={ceiling?.expires_at ? t.most(formatTime(ceiling.expires_at, locale)) : t.expiryHint}
        error={expiry === 'custom' ? undefined : errors.expiryTime}
      />
      {expiry === 'custom' && (
        <TextField
          label={t.expiryTime}
          type="datetime-local"
          value={expiryTime}
          onChange={(next) => set({ expiryTime: next })}
          error={errors.expiryTime}
        />
      )}
    </div>
  )
}

type LimitValues = Pick<KeyValues, (typeof LIMITS)[number]>
type LimitProps = {
  values: LimitValues
  set(change: Partial<LimitValues>): void
  errors: Partial<Record<(typeof LIMITS)[number], string>>
  ceiling?: Ceiling
  hint?: string
}

/** The limits of a key or an account. */
export function LimitFields({ values, set, errors, ceiling, hint }: LimitProps) {
  const t = useTexts().keys.form
  const mostOf = (limit: number | null | undefined) => (limit ? t.most(String(limit)) : undefined)
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">{t.limits}</legend>
      <p className="mb-2 text-sm text-muted">{hint ?? t.limitsHint}</p>
      <div className="grid items-end gap-3 wide:grid-cols-3">
        {LIMITS.map((limit) => (
          <TextField
            key={limit}
            label={t[limit]}
            inputMode="numeric"
            autoComplete="off"
            value={values[limit]}
            onChange={(value) => set({ [limit]: value })}
            hint={mostOf(ceiling?.limits[limit])}
            error={errors[limit]}
          />
        ))}
      </div>
    </fieldset>
  )
}
