// Money is a whole number of nano-USD in a bigint. Decimal text is read digit by digit: a float never touches it.

export type Nanos = bigint

export const NANOS_PER_USD = 1_000_000_000n

/** One billion USD: the sum of a few such amounts still fits a 64-bit column. */
export const MAX_AMOUNT: Nanos = 1_000_000_000n * NANOS_PER_USD

/** The credit line of an account that may spend without limit. Added to any balance it still fits a 64-bit column. */
export const UNLIMITED_CREDIT: Nanos = 4n * MAX_AMOUNT

const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/

/** `"0.05"` -> 50_000_000n; undefined when the text is not a plain decimal with at most 9 places. */
export function parseUsd(text: string): Nanos | undefined {
  const match = DECIMAL.exec(text.trim())
  if (!match) return undefined
  const [, sign, whole = '0', fraction = ''] = match
  const nanos = BigInt(whole) * NANOS_PER_USD + BigInt(fraction.padEnd(9, '0'))
  if (nanos > MAX_AMOUNT) return undefined
  return sign === '-' ? -nanos : nanos
}

/** The same for amounts computed elsewhere: decimals beyond the ninth are rounded up. */
export function roundedUsd(text: string): Nanos | undefined {
  const [, digits = text, rest = ''] = /^(\d+\.\d{9})(\d{0,40})$/.exec(text) ?? []
  const nanos = parseUsd(digits)
  return nanos === undefined || nanos < 0n ? undefined : nanos + (/[1-9]/.test(rest) ? 1n : 0n)
}

/** 50_000_000n -> `"0.05"`; never scientific notation, at least two places. */
export function formatUsd(nanos: Nanos): string {
  if (nanos === 0n) return '0.00'
  const sign = nanos < 0n ? '-' : ''
  const absolute = nanos < 0n ? -nanos : nanos
  const fraction = (absolute % NANOS_PER_USD)
    .toString()
    .padStart(9, '0')
    .replace(/0{1,7}$/, '')
  return `${sign}${absolute / NANOS_PER_USD}.${fraction}`
}

/** A credit line, or an amount that contains one. */
export const formatCredit = (nanos: Nanos, creditLine: Nanos = nanos): string =>
  creditLine === UNLIMITED_CREDIT ? 'unlimited' : formatUsd(nanos)

export function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return denominator === 1n ? numerator : (numerator + denominator - 1n) / denominator
}

/** `1500000` -> `1.5`: a multiplier as decimal text. */
export function formatMillionths(millionths: bigint | string): string {
  const digits = String(millionths).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
}
