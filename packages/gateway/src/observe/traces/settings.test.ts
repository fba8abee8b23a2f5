import { expect, test } from 'bun:test'
import { readTraceSettings } from './settings.ts'

function read(env: Record<string, string>) {
  const mistakes: string[] = []
  const settings = readTraceSettings(
    (name) => env[name],
    (message) => mistakes.push(message),
  )
  return { settings, mistakes }
}

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }

test('off unless a URL is set, and where it is disabled', () => {
  for (const env of [{}, { OTEL_SERVICE_NAME: 'x' }, { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }])
    expect(read(env)).toEqual({ settings: undefined, mistakes: [] })
})

test('the defaults', () => {
  expect(read(ENDPOINT)).toEqual({
    mistakes: [],
    settings: {
      endpoint: 'http://collector:4318/v1/traces',
      headers: {},
      timeoutMs: 10_000,
      delayMs: 5_000,
      resource: { 'service.name': 'trivium', 'service.instance.id': expect.any(String) },
      sampler: { ratio: 1, parent: true },
    },
  })
})

test('all of them', () => {
  const { settings, mistakes } = read({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/path',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20secret%2C, x-b = 2=3',
    OTEL_EXPORTER_OTLP_TIMEOUT: '250',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'gateway',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,team=core',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  expect(mistakes).toEqual([])
  expect(settings).toMatchObject({
    endpoint: 'https://other/path',
    headers: { 'api-key': 'a secret,', 'x-b': '2=3' },
    timeoutMs: 250,
    delayMs: 100,
    resource: { 'service.name': 'gateway', team: 'core' },
    sampler: { ratio: 0.25, parent: false },
  })
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret without a name'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'name=secret%0d%0aother: header'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
  ['OTEL_BSP_SCHEDULE_DELAY', '0'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'half=%'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('%s=%s is a mistake, whose message does not repeat what may be secret', (name, value) => {
  const { mistakes } = read({ ...ENDPOINT, [name]: value })
  expect(mistakes).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  expect(mistakes.join()).not.toContain('secret')
})
