// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax under test
// Section `alerts`: what it means, its defaults, and every mistake with its line.
import { expect, test } from 'bun:test'
import { assemble } from './assemble.ts'
import { describeChanges } from './changes.ts'
import { formatMistakes } from './format-mistakes.ts'
import { ALERT_DEFAULTS, ALERT_RULES } from './sections/alerts.ts'

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const MAIL = 'mail: { url: "smtps://smtp.example.com", from: gw@example.com }'
const load = (source: string) => assemble({ source, file: '/etc/trivium.yaml', env: { ALERT_SECRET: SECRET } })

test('thresholds and targets are read; what is absent has its default', () => {
  expect(load('').config?.alerts).toEqual(ALERT_DEFAULTS)
  const { config } = load(`${MAIL}
alerts:
  webhooks: [{ url: "https://hooks.example.com/a/b?token=1", secret: "\${ALERT_SECRET}" }]
  email: [ops@example.com]
  off: [price_list_old, audit_failed]
  upstream_down: 90s
  error_rate: 5%
  margin_negative: 0.25
`)
  expect(config?.alerts).toEqual({
    ...ALERT_DEFAULTS,
    webhooks: [{ url: 'https://hooks.example.com/a/b?token=1', secret: SECRET }],
    email: ['ops@example.com'],
    off: ['price_list_old', 'audit_failed'],
    thresholds: { ...ALERT_DEFAULTS.thresholds, upstream_down: 90_000, error_rate: 5 },
    loss: 250_000_000n,
  })
  for (const rule of ALERT_RULES) expect(load(`alerts: { off: [${rule}] }`).mistakes).toEqual([])
})

test.each([
  ['webhooks: {}', 'alerts.webhooks: expected a list, such as'],
  [`webhooks: [{ secret: ${SECRET} }]`, 'alerts.webhooks[0]: url is missing; such as https://example.com/alerts'],
  ['webhooks: [{ url: "https://a.example.com" }]', 'alerts.webhooks[0]: secret is missing; write whsec_ and 24 to 64'],
  [`webhooks: [{ url: hooks.example.com/s3cret, secret: ${SECRET} }]`, 'alerts.webhooks[0].url: is not an http:// or'],
  [
    'webhooks: [{ url: "https://a.example.com", secret: s3cret }]',
    'alerts.webhooks[0].secret: is not a signing secret',
  ],
  [
    'webhooks: [{ url: "https://a.example.com", secret: whsec_c2hvcnQ= }]',
    'alerts.webhooks[0].secret: is not a signing',
  ],
  [
    `webhooks: [${`{ url: "https://a.example.com", secret: ${SECRET} }, `.repeat(17)}]`,
    'has 17 entries; 16 are possible',
  ],
  ['email: [ops]', 'alerts.email[0]: is not an email address; write one such as ops@example.com'],
  ['off: [disk]', 'alerts.off[0]: expected one of upstream_down, error_rate'],
  ['upstream_down: 5', 'alerts.upstream_down: "5" is not a duration'],
  ['error_rate: 20', 'alerts.error_rate: "20" is not a percentage; write a whole number from 1% to 100%'],
  ['disk_full: 101%', 'alerts.disk_full: "101%" is not a percentage'],
  ['margin_negative: -1', 'alerts.margin_negative: "-1" is negative'],
  ['audit_failed: 1h', 'alerts.audit_failed: has no threshold; write off: [audit_failed] to turn it off'],
  ['uptream_down: 5m', 'alerts: unknown field "uptream_down"; did you mean upstream_down?'],
])('%s is a mistake with its line, and no secret is repeated', (written, expected) => {
  const { mistakes } = load(`${MAIL}\nalerts:\n  ${written}\n`)
  expect(formatMistakes(mistakes)).toContain(
    `/etc/trivium.yaml:3: ${expected.startsWith('has') ? 'alerts.webhooks: ' : ''}${expected}`,
  )
  expect(formatMistakes(mistakes)).not.toContain('s3cret')
})

test('email needs the section mail', () => {
  expect(formatMistakes(load('alerts:\n  email: [ops@example.com]').mistakes)).toContain(
    '/etc/trivium.yaml:2: alerts.email: the file has no section mail',
  )
})

test('a reload tells that alerts have changed; secrets and URLs are not part of the hash', () => {
  const of = (secret: string, path = '') =>
    load(`alerts: { webhooks: [{ url: "https://a.example.com/${path}", secret: ${secret} }] }`).config
  const [one, other] = [of(SECRET), of(`whsec_${Buffer.alloc(24).toString('base64')}`, 'x')]
  if (!one || !other) throw new Error('not loaded')
  expect(one.hash).toBe(other.hash)
  expect(describeChanges(one, other)).toEqual([{ what: 'alerts.webhooks changed', restart: false }])
})
