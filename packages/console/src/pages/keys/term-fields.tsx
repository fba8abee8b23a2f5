// The fields for the group, the spending cap and the expiry of a key.

import type { GroupRow, KeyRow } from '@trivium/gateway/console-api/routes/keys.ts'
import { useRead } from '../../api/queries.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { formatTime } from '../../ui/values.tsx'
import { EXPIRY_DAYS, type Expiry, type KeyErrors, type KeyValues, PERIODS, type Period } from './form-values.ts'

type FieldsProps = { values: KeyValues; set(change: Partial<KeyValues>): void }

const MOST_NAMES = 4

export function GroupField({
  groups,
  values: { group },
  set,
  error,
}: FieldsProps & { groups: readonly GroupRow[]; error: string | undefined }) {
  const t = useTexts().keys.form
  const { data: models } = useRead('models')
  const chosen = groups.find(({ id }) => id === group)
  const names = modelsOfGroup(models, group)
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

export const modelsOfGroup = (
  models: readonly { id: string; prices: readonly { group: string }[] }[] | undefined,
  group: string,
): string[] => (models ?? []).filter(({ prices }) => prices.some((each) => each.group === group)).map(({ id }) => id)

type Ceiling = KeyRow['ceiling'] | undefined

export function CapFields({
  values: { cap, period },
  set,
  errors,
  ceiling,
}: FieldsProps & { errors: KeyErrors; ceiling: Ceiling }) {
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
        hint={most || t.capHint}
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
