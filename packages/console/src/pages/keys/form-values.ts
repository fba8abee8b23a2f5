// What the form of a key holds, and the request that it becomes.

import type { ChangeKey, KeyRow, Limits, NewKey } from '../../api/types.ts'
import type { Texts } from '../../i18n/texts.ts'
import type { FormErrors } from '../../ui/form/form-errors.ts'

const DAY_MS = 86_400_000
export const EXPIRY_DAYS = { days7: 7, days30: 30, days90: 90, days365: 365 } as const
export type Expiry = 'keep' | 'never' | 'custom' | keyof typeof EXPIRY_DAYS
export const PERIODS = ['day', 'week', 'month'] as const
export type Period = 'never' | (typeof PERIODS)[number]

/** Texts as they are typed. */
export type KeyValues = {
  name: string
  group: string
  cap: string
  period: Period
  expiry: Expiry
  /** In the local time of the browser. */
  expiryTime: string
  /** null: all of the group. */
  models: readonly string[] | null
  networks: string
} & Record<keyof Limits, string>

export type KeyErrors = FormErrors<keyof KeyValues>

/** `key`: undefined for a new one. */
export function valuesOf(key: KeyRow | undefined, group: string, name = ''): KeyValues {
  const limit = (name: keyof Limits) => key?.limits[name]?.toString() ?? ''
  return {
    name: key?.name ?? name,
    group: key?.group ?? group,
    cap: key?.cap_usd ?? '',
    period: key?.cap_period ?? 'never',
    expiry: key?.expires_at ? 'keep' : 'never',
    expiryTime: '',
    models: key?.models ?? null,
    networks: key?.networks?.join('\n') ?? '',
    rpm: limit('rpm'),
    tpm: limit('tpm'),
    concurrent: limit('concurrent'),
  }
}

export function errorsIn(values: KeyValues, { errors }: Texts['keys']['form'], now: number): KeyErrors {
  const found: KeyErrors = {}
  const { cap, expiry, expiryTime, models, networks } = values
  const name = values.name.trim()
  if (name === '' || name.length > 100) found.name = errors.name
  if (cap.trim() !== '' && !isAmount(cap.trim())) found.cap = errors.cap
  if (expiry === 'custom' && !(Date.parse(expiryTime) > now)) found.expiryTime = errors.expiry
  if (models?.length === 0) found.models = errors.models
  const wrong = linesOf(networks).find((line) => !isNetwork(line))
  if (wrong !== undefined) found.networks = errors.networks(wrong)
  return { ...found, ...limitErrorsIn(values, errors.limit) }
}

/** Above zero. */
export const isAmount = (text: string): boolean => /^\d{1,9}(\.\d{1,9})?$/.test(text) && !/^0*(\.0*)?$/.test(text)

export function limitErrorsIn(values: Record<keyof Limits, string>, error: string): KeyErrors {
  const wrong = LIMITS.filter((name) => !/^([1-9]\d{0,8})?$/.test(values[name].trim()))
  return Object.fromEntries(wrong.map((name) => [name, error]))
}

export const LIMITS = ['rpm', 'tpm', 'concurrent'] as const satisfies (keyof Limits)[]

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Only the form of an address: the gateway checks the rest. */
const isNetwork = (text: string): boolean =>
  /^(\d{1,3}\.){3}\d{1,3}(\/\d{1,2})?$/.test(text) || /^[\da-f:.]*:[\da-f:.]*(\/\d{1,3})?$/i.test(text)

/** All fields of the key. `kept`: the present time of expiry. */
export function requestOf(values: KeyValues, now: number, kept: string | null = null): NewKey {
  const cap = values.cap.trim()
  const networks = linesOf(values.networks)
  const limit = (name: keyof Limits) => (values[name].trim() === '' ? null : Number(values[name].trim()))
  return {
    name: values.name.trim(),
    group: values.group,
    cap_usd: cap === '' ? null : cap,
    cap_period: cap === '' || values.period === 'never' ? null : values.period,
    expires_at: expiryOf(values, now, kept),
    models: values.models === null ? null : [...values.models],
    networks: networks.length === 0 ? null : networks,
    limits: { rpm: limit('rpm'), tpm: limit('tpm'), concurrent: limit('concurrent') },
  }
}

function expiryOf({ expiry, expiryTime }: KeyValues, now: number, kept: string | null): string | null {
  if (expiry === 'never') return null
  if (expiry === 'keep') return kept
  if (expiry === 'custom') return new Date(expiryTime).toISOString()
  return new Date(now + EXPIRY_DAYS[expiry] * DAY_MS).toISOString()
}

/** The fields that differ from the key. */
export function changesOf(values: KeyValues, key: KeyRow, now: number): ChangeKey {
  const before: NewKey = { ...requestOf(valuesOf(key, key.group), now, key.expires_at) }
  const after = requestOf(values, now, key.expires_at)
  const names = Object.keys(after) as (keyof NewKey)[]
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}

/** The field of the form for a parameter of the API. */
export function fieldOf(param: string | null): keyof KeyErrors {
  const fields: Readonly<Record<string, keyof KeyErrors>> = {
    name: 'name',
    group: 'group',
    cap_usd: 'cap',
    cap_period: 'period',
    expires_at: 'expiryTime',
    models: 'models',
    networks: 'networks',
    'limits.rpm': 'rpm',
    'limits.tpm': 'tpm',
    'limits.concurrent': 'concurrent',
  }
  return fields[param ?? ''] ?? 'form'
}
