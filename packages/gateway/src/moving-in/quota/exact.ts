// Exact fractions: ratios are multiplied before the result is rounded once, if at all.
import type { Nanos } from '../../money/amount.ts'
import { decimalOf, textOf } from '../sources/fields.ts'
import type { SourceValue } from '../sources/source-database.ts'

export type Exact = { readonly n: bigint; readonly d: bigint }

export const whole = (value: bigint | number): Exact => ({ n: BigInt(value), d: 1n })
export const ONE = whole(1)
export const NONE = whole(0)

/** A decimal as it is written, or two of them: `1.25`, `7.5e-08`, `2.5/0.3`. undefined: neither, or negative. */
export function exactOf(value: SourceValue | undefined): Exact | undefined {
  const [first, second = '1', ...more] = typeof value === 'string' ? value.split('/') : [value]
  const [one, other] = [fraction(first), fraction(second)]
  return one && other && other.n > 0n && more.length === 0 ? over(one, other) : undefined
}

function fraction(value: SourceValue | undefined): Exact | undefined {
  const [, integer, decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimalOf(value) ?? '') ?? []
  return integer === undefined ? undefined : { n: BigInt(integer + decimals), d: 10n ** BigInt(decimals.length) }
}

export const times = (...values: readonly Exact[]): Exact =>
  values.reduce((one, other) => ({ n: one.n * other.n, d: one.d * other.d }), ONE)
export const over = (one: Exact, other: Exact): Exact => ({ n: one.n * other.d, d: one.d * other.n })
export const equal = (one: Exact, other: Exact): boolean => one.n * other.d === other.n * one.d

/** Half up. */
export const rounded = ({ n, d }: Exact): bigint => (n < 0n ? -1n : 1n) * ((2n * (n < 0n ? -n : n) + d) / (2n * d))

/** With at most so many decimals; `isExact`: without rounding. */
export function written(value: Exact, places: number): { text: string; isExact: boolean } {
  const scaled = times(value, whole(10n ** BigInt(places)))
  const digits = rounded(scaled)
    .toString()
    .padStart(places + 1, '0')
  const decimals = digits.slice(-places).replace(/0+$/, '')
  const text = digits.slice(0, -places) + (decimals ? `.${decimals}` : '')
  return { text, isExact: scaled.n % scaled.d === 0n }
}

export const inNanos = (usd: Exact): Nanos => rounded(times(usd, whole(1_000_000_000n)))

/** A count of units; undefined: it is no integer of 64 bits. */
export function bigintOf(value: SourceValue | undefined): bigint | undefined {
  const text = textOf(value)?.trim() ?? ''
  return /^-?\d{1,18}$/.test(text) ? BigInt(text) : undefined
}
