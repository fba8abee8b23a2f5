// Values as people read them: exact amounts, dates and numbers by locale.

import { formatCount, roundUsd, roundUsdInTable } from '../i18n/figures.ts'
import { useLanguage } from '../i18n/language.tsx'
import { classes } from './classes.ts'

/** All digits of the amount, with groups in its whole part: `1,234.000236`. */
export function formatUsd(usd: string, locale: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(usd) ?? [undefined, '', usd]
  const grouped = /^\d+$/.test(whole) ? BigInt(whole).toLocaleString(locale) : whole
  return `${sign === '-' ? '\u2212' : ''}${grouped}${fraction}`
}

export const isZero = (usd: string): boolean => /^-?0*(\.0*)?$/.test(usd)

type AmountProps = {
  usd: string
  sign?: boolean
  /** With all digits on hover: a headline, or as in a table. */
  rounded?: boolean | 4
  /**
   * In a table: rounded for reading, and as wide after the point as an amount of its column with so many decimals. Its unit is in the
   * head of the column.
   */
  decimals?: number | undefined
}

const fractionOf = (usd: string): number => (usd.split('.')[1] ?? '').length

/** The decimals of a column of amounts, as they are rounded. */
export const decimalsOf = (amounts: readonly (string | null | undefined)[]): number =>
  Math.max(0, ...amounts.map((usd) => (usd ? fractionOf(roundUsdInTable(usd)) : 0)))

/** As wide as a digit. */
const FIGURE_SPACE = '\u2007'

/** `<Amount usd="0.000236" />` shows `0.000236 USD`. */
export function Amount({ usd, sign = false, rounded = false, decimals }: AmountProps) {
  const { texts, locale } = useLanguage()
  if (usd === 'unlimited') return <span className="whitespace-nowrap">{texts.common.unlimited}</span>
  const plus = sign && !usd.startsWith('-') && !isZero(usd) ? '+' : ''
  const exact = formatUsd(usd, locale)
  const read = decimals !== undefined || rounded === 4 ? roundUsdInTable(usd) : rounded ? roundUsd(usd) : usd
  const shown = formatUsd(read, locale)
  return (
    <span className="whitespace-nowrap tabular-nums" title={shown === exact ? undefined : `${exact} USD`}>
      {plus}
      {shown}
      <span className={classes('text-muted', decimals !== undefined && 'rows:text-[0px] rows:leading-none')}> USD</span>
      {decimals !== undefined && (
        <span aria-hidden="true" className="cards:hidden">
          {FIGURE_SPACE.repeat(Math.max(0, decimals - fractionOf(read)))}
        </span>
      )}
    </span>
  )
}

const STYLES = {
  date: { dateStyle: 'medium' },
  time: { timeStyle: 'medium' },
  clock: { timeStyle: 'short' },
  both: { dateStyle: 'medium', timeStyle: 'short' },
  /** For sums by day, which are days of UTC. */
  utcDay: { dateStyle: 'medium', timeZone: 'UTC' },
  exact: { dateStyle: 'medium', timeStyle: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** `18 Nov, 17:04:21`: for lists, whose times are mostly of this year. */
const MOMENT: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
}

export function formatTime(iso: string, locale: string, style: keyof typeof STYLES | 'moment' = 'both'): string {
  if (style === 'moment') {
    const at = new Date(iso)
    const isThisYear = at.getFullYear() === new Date().getFullYear()
    return new Intl.DateTimeFormat(locale, isThisYear ? MOMENT : { ...MOMENT, year: 'numeric' }).format(at)
  }
  return new Intl.DateTimeFormat(locale, STYLES[style]).format(new Date(iso))
}

/** A point in time in the zone of the reader; the title has the seconds and the zone. */
export function Time({ at, style = 'both' }: { at: string; style?: keyof typeof STYLES | 'moment' | 'relative' }) {
  const { locale } = useLanguage()
  return (
    <time
      dateTime={at}
      title={formatTime(at, locale, 'exact')}
      className={classes(style !== 'exact' && 'whitespace-nowrap')}
    >
      {style === 'relative' ? relative(at, locale) : formatTime(at, locale, style)}
    </time>
  )
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

function relative(at: string, locale: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1_000
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}

export function useNumber(): (value: number, options?: Intl.NumberFormatOptions) => string {
  const { locale } = useLanguage()
  return (value, options) => new Intl.NumberFormat(locale, options).format(value).replace('-', '\u2212')
}

/** A share of a whole: `16.7%`. `digits`: of its fraction, at least and at most. */
export function usePercent(): (share: number, digits?: [least: number, most: number]) => string {
  const number = useNumber()
  return (share, [least, most] = [0, 1]) =>
    number(share, { style: 'percent', minimumFractionDigits: least, maximumFractionDigits: most })
}

/** A count as a headline, with all digits on hover. */
export function Count({ value }: { value: number }) {
  const { locale } = useLanguage()
  const exact = new Intl.NumberFormat(locale).format(value)
  const shown = formatCount(value, locale)
  return <span title={shown === exact ? undefined : exact}>{shown}</span>
}

/** Milliseconds as people read them: `840 ms`, `2.35 s`, `3 min 5 s`. */
export function formatDuration(ms: number, locale: string): string {
  const number = (value: number, digits: number) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)
  if (ms < 1_000) return `${number(ms, 0)}\u00a0ms`
  if (ms < 60_000) return `${number(ms / 1_000, 2)}\u00a0s`
  return `${number(Math.floor(ms / 60_000), 0)}\u00a0min ${number(Math.round((ms % 60_000) / 1_000), 0)}\u00a0s`
}

export function Duration({ ms }: { ms: number | null }) {
  const { locale } = useLanguage()
  return <span className="whitespace-nowrap">{ms === null ? '\u2013' : formatDuration(ms, locale)}</span>
}

/** A share of a whole as a bar. `label` says the same in words, for screen readers. */
export function Bar({ share, label, tone }: { share: number; label: string; tone?: 'accent' | 'warn' | 'bad' }) {
  const bounded = Math.min(1, Math.max(0, share))
  const shown = tone ?? (bounded >= 1 ? 'bad' : bounded >= 0.8 ? 'warn' : 'accent')
  const colour = { accent: 'text-accent', warn: 'text-warn', bad: 'text-danger' }[shown]
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className={`block h-1 w-full overflow-hidden rounded-full ${colour}`}
    >
      <rect width="100" height="4" className="fill-raised" />
      <rect width={bounded === 0 ? 0 : Math.max(1, bounded * 100)} height="4" fill="currentColor" />
    </svg>
  )
}
