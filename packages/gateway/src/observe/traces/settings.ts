// The standard variables of OpenTelemetry for traces by OTLP over HTTP. Tracing is on if a URL is set.

export type TraceSettings = {
  /** The URL that spans are posted to. */
  endpoint: string
  /** May be secret. */
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  /** How long a span waits for its batch to fill. */
  delayMs: number
  /** Attributes of the service, such as its name. */
  resource: Readonly<Record<string, string>>
  sampler: Sampler
}

/** `ratio`: the share of traces that begin here. `parent`: whether the caller's choice counts for traces that it began. */
export type Sampler = { ratio: number; parent: boolean }

/** By `OTEL_TRACES_SAMPLER`; undefined: the ratio of the argument. */
const SAMPLERS: Readonly<Record<string, { ratio: number | undefined; parent: boolean }>> = {
  always_on: { ratio: 1, parent: false },
  always_off: { ratio: 0, parent: false },
  traceidratio: { ratio: undefined, parent: false },
  parentbased_always_on: { ratio: 1, parent: true },
  parentbased_always_off: { ratio: 0, parent: true },
  parentbased_traceidratio: { ratio: undefined, parent: true },
}
const DEFAULT_SAMPLER = 'parentbased_always_on'
const PROTOCOL = 'http/json'
const TIMEOUT_MS = 10_000
const DELAY_MS = 5_000
/** In Markdown, as docs/reference/environment.md shows it. */
export const TRACE_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: 'none: tracing is off',
    meaning: 'the base URL of the collector; `/v1/traces` is appended',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { fallback: 'none', meaning: 'the whole URL; wins over the above' },
  OTEL_EXPORTER_OTLP_HEADERS: {
    fallback: 'none',
    meaning: '`name=value,name=value`, values percent-encoded, such as a key of the collector',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: { fallback: `\`${TIMEOUT_MS}\``, meaning: 'milliseconds for one batch' },
  OTEL_EXPORTER_OTLP_PROTOCOL: { fallback: `\`${PROTOCOL}\``, meaning: 'the only one that is supported' },
  OTEL_SERVICE_NAME: { fallback: '`trivium`', meaning: 'the name of the service in traces' },
  OTEL_RESOURCE_ATTRIBUTES: {
    fallback: 'none',
    meaning: '`name=value,name=value`, such as `deployment.environment.name=production`',
  },
  OTEL_TRACES_SAMPLER: {
    fallback: `\`${DEFAULT_SAMPLER}\``,
    meaning: Object.keys(SAMPLERS)
      .map((name) => `\`${name}\``)
      .join(', '),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    fallback: '`1`',
    meaning: 'the share of traces to keep, from 0 to 1, for the samplers by ratio',
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    fallback: `\`${DELAY_MS}\``,
    meaning: 'milliseconds that a span waits for its batch to fill',
  },
  OTEL_SDK_DISABLED: { fallback: '`false`', meaning: '`true` turns tracing off' },
} as const satisfies Record<string, { fallback: string; meaning: string }>
type Name = keyof typeof TRACE_VARIABLES

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/** undefined: tracing is off. `add` reports a mistake; no message repeats a header, which may be secret. */
export function readTraceSettings(
  text: (name: Name) => string | undefined,
  add: (message: string) => void,
): TraceSettings | undefined {
  const base = text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const endpoint = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  if (endpoint === undefined || text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const protocol = text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? PROTOCOL
  if (protocol !== PROTOCOL)
    add(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be ${PROTOCOL}, the only one of this gateway; collectors take it on port 4318`,
    )
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    add('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http:// or https://, such as http://127.0.0.1:4318')
  return {
    endpoint,
    headers: headersIn(pairs('OTEL_EXPORTER_OTLP_HEADERS', text, add), add),
    timeoutMs: milliseconds('OTEL_EXPORTER_OTLP_TIMEOUT', TIMEOUT_MS, text, add),
    delayMs: milliseconds('OTEL_BSP_SCHEDULE_DELAY', DELAY_MS, text, add),
    resource: {
      'service.name': 'trivium',
      'service.instance.id': crypto.randomUUID(),
      ...pairs('OTEL_RESOURCE_ATTRIBUTES', text, add),
      ...named(text('OTEL_SERVICE_NAME')),
    },
    sampler: samplerIn(text('OTEL_TRACES_SAMPLER'), text('OTEL_TRACES_SAMPLER_ARG'), add),
  }
}

const named = (name: string | undefined) => (name === undefined ? undefined : { 'service.name': name })

/** `name=value,name=value`, values percent-encoded. */
function pairs(
  name: Name,
  text: (name: Name) => string | undefined,
  add: (message: string) => void,
): Record<string, string> {
  const written = (text(name) ?? '').split(',').filter((each) => each.trim() !== '')
  const found = written.map((each) => /^\s*([^=\s]+)\s*=(.*)$/s.exec(each))
  try {
    if (found.includes(null)) throw new Error('no pair')
    return Object.fromEntries(found.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2]?.trim() ?? '')]))
  } catch {
    add(
      `${name} must be a list such as name=value,other=value, with a comma or a percent sign in a value percent-encoded`,
    )
    return {}
  }
}

function headersIn(all: Record<string, string>, add: (message: string) => void): Record<string, string> {
  for (const [name, value] of Object.entries(all))
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value))
      add('OTEL_EXPORTER_OTLP_HEADERS has a name or a value that is not allowed in an HTTP header')
  return all
}

function milliseconds(
  name: Name,
  fallback: number,
  text: (name: Name) => string | undefined,
  add: (message: string) => void,
): number {
  const written = text(name)
  if (written === undefined) return fallback
  const ms = /^\d{1,6}$/.test(written) ? Number(written) : 0
  if (ms === 0) add(`${name} must be a number of milliseconds from 1 to 999999`)
  return ms || fallback
}

function samplerIn(name = DEFAULT_SAMPLER, written: string | undefined, add: (message: string) => void): Sampler {
  const sampler = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined
  if (!sampler) add(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(SAMPLERS).join(', ')}`)
  const share = written === undefined ? 1 : /^\d*\.?\d+$/.test(written) ? Number(written) : Number.NaN
  if (!(share >= 0 && share <= 1))
    add('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, the share of traces to keep')
  return { ratio: sampler?.ratio ?? share, parent: sampler?.parent ?? true }
}
