// Headline figures, rounded for reading. What is rounded here shows all its digits on hover; receipts, ledgers and files are never
// rounded. Pure.

/** Amounts have nine decimals. */
const DECIMALS = 9

/** To cents; an amount below one to two significant digits, so that none but zero becomes `0.00`: `1234.57`, `0.12`, `0.0049`. */
export function roundUsd(usd: string, significant = 2): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(usd) ?? []
  if (whole === '') return usd
  const padded = fraction.padEnd(DECIMALS, '0')
  const decimals = BigInt(whole) > 0n ? Math.max(2, significant - whole.length) : padded.search(/[1-9]|$/) + significant
  const kept = Math.min(DECIMALS, decimals)
  const step = 10n ** BigInt(DECIMALS - kept)
  const rounded = ((BigInt(whole + padded) + step / 2n) / step) * step
  const digits = String(rounded).padStart(DECIMALS + 1, '0')
  const shown = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(2, '0')
  return `${sign}${digits.slice(0, -DECIMALS)}.${shown}`
}

/** In a table: to cents, or to four significant digits below 1 USD. */
export const roundUsdInTable = (usd: string): string => roundUsd(usd, /^-?0*(\.|$)/.test(usd) ? 4 : 2)

/** From here on, a count is shown with three significant digits and a unit. */
const LARGE = 1_000_000

/** `987,654`, then `12.3M`, or `1230万` in Chinese. */
export function formatCount(value: number, locale: string): string {
  const options: Intl.NumberFormatOptions =
    Math.abs(value) < LARGE ? {} : { notation: 'compact', maximumSignificantDigits: 3 }
  return new Intl.NumberFormat(locale, options).format(value)
}
