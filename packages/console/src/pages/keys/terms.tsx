// The fields of what a key, an account or a person may spend, how fast it may call, and until when.

import type { ReactNode } from 'react'
import type { KeyRow, Limits } from '../../api/types.ts'
import { useLanguage } from '../../i18n/language.tsx'
import type { Entry } from '../../ui/form/fields.ts'
import { textIn } from '../../ui/form/typed-values.ts'
import { formatTime } from '../../ui/values.tsx'
import { isAmount, isCount } from './entered.ts'

const DAY_MS = 86_400_000
const EXPIRY_DAYS = { days7: 7, days30: 30, days90: 90, days365: 365 } as const
const PERIODS = ['day', 'week', 'month'] as const
const LIMITS = ['rpm', 'tpm', 'concurrent'] as const satisfies (keyof Limits)[]

type Ceiling = KeyRow['ceiling'] | undefined
type Given = { ceiling?: Ceiling; hint?: string }

export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

export const pair = (children: ReactNode) => <div className="grid grid-cols-2 items-start gap-x-3">{children}</div>

/** `within`: where they are in the body, such as `terms.`. */
export function useTerms<const W extends string = ''>(within: W = '' as W) {
  const { texts, locale } = useLanguage()
  const t = texts.keys.form
  const name = <N extends string>(own: N) => `${within}${own}` as const

  /** With `usual`, a cap always has a period. */
  const cap = ({ ceiling, hint, usual }: Given & { usual?: 'month' } = {}) => {
    const every = ceiling?.cap_period ? ` (${t.periods[ceiling.cap_period]})` : ''
    const most = ceiling?.cap_usd && t.most(`${ceiling.cap_usd} USD${every}`)
    const isEmpty = (values: Readonly<Record<string, unknown>>) => textIn(values, name('cap_usd')).trim() === ''
    return {
      frame: pair,
      fields: [
        {
          name: name('cap_usd'),
          label: t.cap,
          as: 'amount',
          optional: true,
          placeholder: usual ? '' : t.capPlaceholder,
          hint: most || (hint ?? t.capHint),
          wrong: (text) => !isAmount(text) && t.errors.cap,
        },
        {
          name: name('cap_period'),
          label: t.period,
          usual: usual ?? 'never',
          as: [...(usual ? [] : (['never'] as const)), ...PERIODS].map((value) => ({ value, label: t.periods[value] })),
          isDisabled: isEmpty,
          write: (text, values) => (isEmpty(values) ? undefined : text === 'never' ? null : text),
        },
      ],
    } satisfies Entry<`${W}cap_usd` | `${W}cap_period`>
  }

  const limits = ({ ceiling, hint }: Given = {}) =>
    ({
      frame: (children) => (
        <fieldset className="min-w-0">
          <legend className="font-medium">{t.limits}</legend>
          <p className="mb-2 text-sm text-muted">{hint ?? t.limitsHint}</p>
          <div className="grid items-end gap-3 wide:grid-cols-3">{children}</div>
        </fieldset>
      ),
      fields: LIMITS.map((limit) => {
        const most = ceiling?.limits[limit]
        return {
          name: name(`limits.${limit}`),
          label: t[limit],
          as: 'number' as const,
          optional: false,
          hint: most ? t.most(String(most)) : undefined,
          wrong: (text: string) => !isCount(text) && t.errors.limit,
        }
      }),
    }) satisfies Entry<`${W}limits.${keyof Limits}`>

  /** `kept`: the present time. `unchanged`: what is said of leaving it. */
  const expiry = (
    given: Given & { kept?: string | null; usual?: string; unchanged?: string; hasTime?: boolean } = {},
  ) => {
    const { ceiling, hint, kept, usual = 'never', unchanged, hasTime = false } = given
    const presets = Object.keys(EXPIRY_DAYS) as (keyof typeof EXPIRY_DAYS)[]
    const choices = ['never', ...presets, ...(hasTime ? (['custom'] as const) : [])] as const
    const isCustom = (values: Readonly<Record<string, unknown>>) => values[name('expires_at')] === 'custom'
    return [
      {
        name: name('expires_at'),
        label: t.expiry,
        usual: unchanged === undefined ? usual : '',
        as: [
          ...(unchanged === undefined ? [] : [{ value: '', label: unchanged }]),
          ...(kept ? [{ value: kept, label: t.keepExpiry(formatTime(kept, locale)) }] : []),
          ...choices.map((value) => ({ value, label: t.expiries[value] })),
        ],
        hint: ceiling?.expires_at ? t.most(formatTime(ceiling.expires_at, locale)) : hint,
        write: (text, values) => {
          if (text === 'custom') return new Date(textIn(values, '+expiryTime')).toISOString()
          const preset = presets.find((each) => each === text)
          return preset ? inDays(EXPIRY_DAYS[preset]) : text === 'never' ? null : text === '' ? undefined : text
        },
      },
      {
        name: '+expiryTime',
        abouts: [name('expires_at')],
        label: t.expiryTime,
        type: 'datetime-local',
        optional: false,
        isShown: isCustom,
        missing: t.errors.expiry,
        wrong: (text) => !(Date.parse(text) > Date.now()) && t.errors.expiry,
      },
    ] satisfies Entry<`${W}expires_at`>[]
  }
  return { cap, limits, expiry }
}
