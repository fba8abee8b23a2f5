// Strings and numbers that satisfy their keywords; the index makes the items of a list differ.

type Keywords = { readonly [keyword: string]: unknown }

const MOST_LENGTH = 100_000

export function sampleString(schema: Keywords, index: number): string {
  const format = typeof schema.format === 'string' ? formatted(schema.format, index) : undefined
  if (format !== undefined) return format
  const plain = index === 0 ? 'sample' : `sample ${index + 1}`
  const least = Math.min(numberOr(schema.minLength, 0), MOST_LENGTH)
  const most = numberOr(schema.maxLength, MOST_LENGTH)
  if (plain.length > most)
    return String(index).padStart(most, 's').slice(-Math.max(most, 0)).slice(0, Math.max(most, 0))
  return plain.padEnd(least, '.')
}

function formatted(format: string, index: number): string | undefined {
  const two = String((index % 28) + 1).padStart(2, '0')
  const host = `host${index + 1}.example.com`
  const formats: Record<string, string> = {
    'date-time': `2026-01-${two}T12:00:00Z`,
    date: `2026-01-${two}`,
    time: `12:00:${two}Z`,
    duration: `P${index + 1}D`,
    email: `user${index + 1}@example.com`,
    'idn-email': `user${index + 1}@example.com`,
    hostname: host,
    'idn-hostname': host,
    ipv4: `192.0.2.${(index % 254) + 1}`,
    ipv6: `2001:db8::${(index + 1).toString(16)}`,
    uuid: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    uri: `https://${host}/`,
    'uri-reference': `/path/${index + 1}`,
    iri: `https://${host}/`,
    url: `https://${host}/`,
    'json-pointer': `/path/${index + 1}`,
    regex: `^sample${index + 1}$`,
    byte: Buffer.from(`sample ${index + 1}`).toString('base64'),
  }
  return Object.hasOwn(formats, format) ? formats[format] : undefined
}

/** Near 1, within the bounds, on the grid of `multipleOf`. */
export function sampleNumber(schema: Keywords, whole: boolean, index: number): number {
  const grid = positive(schema.multipleOf) ?? (whole ? 1 : undefined)
  const low = lowerBound(schema, grid)
  const high = upperBound(schema, grid)
  const step = grid ?? Math.min(1, high - low || 1)
  const first =
    low > 1 ? low : high < 1 ? (low > Number.NEGATIVE_INFINITY ? low : high) : Math.max(low, onGrid(1, grid))
  const wanted = first + index * step
  return wanted <= high ? wanted : first > high ? high : first
}

function lowerBound(schema: Keywords, grid: number | undefined): number {
  const minimum = numberOr(schema.minimum, Number.NEGATIVE_INFINITY)
  const exclusive =
    schema.exclusiveMinimum === true ? minimum : numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY)
  const bound = Math.max(minimum, exclusive)
  if (grid === undefined) return bound === exclusive && Number.isFinite(bound) ? bound + margin(schema, bound) : bound
  const onLine = Math.ceil(bound / grid) * grid
  return onLine === exclusive ? onLine + grid : onLine
}

function upperBound(schema: Keywords, grid: number | undefined): number {
  const maximum = numberOr(schema.maximum, Number.POSITIVE_INFINITY)
  const exclusive =
    schema.exclusiveMaximum === true ? maximum : numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY)
  const bound = Math.min(maximum, exclusive)
  if (grid === undefined) return bound === exclusive && Number.isFinite(bound) ? bound - margin(schema, bound) : bound
  const onLine = Math.floor(bound / grid) * grid
  return onLine === exclusive ? onLine - grid : onLine
}

/** Half of the open interval, at most a half: never beyond the other bound. */
function margin(schema: Keywords, bound: number): number {
  const others = [schema.minimum, schema.exclusiveMinimum, schema.maximum, schema.exclusiveMaximum]
  const gaps = others.filter((other) => typeof other === 'number').map((other) => Math.abs(other - bound))
  return Math.min(0.5, ...gaps.filter((gap) => gap > 0).map((gap) => gap / 4))
}

const onGrid = (value: number, grid: number | undefined) =>
  grid === undefined ? value : Math.ceil(value / grid) * grid
const positive = (value: unknown) => (typeof value === 'number' && value > 0 ? value : undefined)

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback
}
