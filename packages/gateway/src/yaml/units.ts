// Parses sizes, durations and amounts into exact numbers.

const SIZE = /^(\d{1,9})\s?(B|KiB|MiB|GiB)$/
const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** `"32MiB"` -> 33_554_432. A number without a unit is rejected as ambiguous. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = SIZE.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (SIZE_UNITS[unit] ?? 0)
}

/** 33_554_432 -> `"32MiB"`: the largest unit that is exact. */
export function formatSize(bytes: number): string {
  const unit = ['GiB', 'MiB', 'KiB'].find((name) => bytes > 0 && bytes % (SIZE_UNITS[name] ?? 1) === 0) ?? 'B'
  return `${bytes / (SIZE_UNITS[unit] ?? 1)}${unit}`
}

const DURATION = /^(\d{1,9})\s?(ms|s|m|h|d)$/
const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `"120s"` -> 120_000. A number without a unit is rejected as ambiguous. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = DURATION.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (DURATION_UNITS[unit] ?? 0)
}

/** 90_000 -> `"90s"`: the largest unit that is exact. */
export function formatDuration(milliseconds: number): string {
  const unit = ['d', 'h', 'm', 's'].find((name) => milliseconds % (DURATION_UNITS[name] ?? 1) === 0) ?? 'ms'
  return milliseconds === 0 ? '0s' : `${milliseconds / (DURATION_UNITS[unit] ?? 1)}${unit}`
}

/** Moves the decimal point of plain digits by text, so that the advice is as exact as what it corrects. */
function shiftPoint(whole: string, fraction: string, places: number): string {
  const digits = whole + fraction
  const point = whole.length + places
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const split = point <= 0 ? 1 : point
  const before = padded.slice(0, split).replace(/^0+(?=\d)/, '')
  const after = padded.slice(split).replace(/0+$/, '')
  return after === '' ? before : `${before}.${after}`
}

const LOOSE_NUMBER = /^\+?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/

/** The probable amount in plain digits: `1e-3` -> `0.001`, `.5` -> `0.5`, `1_000` -> `1000`. */
export function suggestAmount(text: string): string | undefined {
  const cleaned = text.replace(/^[$\s]+|\s*(USD)?$/g, '').replace(/(?<=\d)[_,\s](?=\d{3}(?!\d))/g, '')
  const [matched, whole = '', fraction = '', exponent = '0'] = LOOSE_NUMBER.exec(cleaned) ?? []
  if (matched === undefined || whole + fraction === '') return undefined
  return shiftPoint(whole === '' ? '0' : whole, fraction, Number(exponent))
}
