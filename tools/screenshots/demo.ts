// What the pictures show: a gateway with several vendors and a month of traffic of a dozen customers. All vendors are one sandbox on
// loopback, so that nothing leaves the machine.
import type { ManyPlan } from '../fill/fill-many.ts'
import type { FilledModel } from '../fill/requests.ts'

export const OPERATOR = 'olivia@example.com'
export const HOLDER = 'ada@example.com'
export const PASSWORD = 'correct horse battery'

const usd = (amount: number): bigint => BigInt(Math.round(amount * 1_000_000)) * 1_000n
const tokens = (input: number, output: number) => ({ input: usd(input), output: usd(output) })

type DemoModel = {
  id: string
  upstream: keyof typeof KINDS
  price: [number, number]
  cost: [number, number]
  context: number
}

/** The most used ones first. What the built-in price list has costs what it says there; prices are a fifth higher. */
const MODELS: readonly DemoModel[] = [
  { id: 'claude-sonnet-5-5', upstream: 'anthropic', price: [2.4, 12], cost: [2, 10], context: 1_000_000 },
  { id: 'gpt-5.5', upstream: 'openai', price: [6, 36], cost: [5, 30], context: 1_050_000 },
  { id: 'gemini-3.8-flash', upstream: 'google', price: [1.8, 9], cost: [1.5, 7.5], context: 1_048_576 },
  { id: 'gpt-5.4-mini', upstream: 'openai-eu', price: [0.9, 5.4], cost: [0.75, 4.5], context: 400_000 },
  { id: 'gemini-3.1-pro-preview', upstream: 'google', price: [2.4, 14.4], cost: [2, 12], context: 1_048_576 },
  { id: 'gpt-oss-120b', upstream: 'groq', price: [0.18, 0.72], cost: [0.15, 0.6], context: 131_072 },
  { id: 'qwen3-local', upstream: 'gpu-rack', price: [0.1, 0.4], cost: [0.06, 0.25], context: 131_072 },
]

/** Each with the path at the end of its base URL. */
const KINDS = {
  anthropic: ['anthropic', ''],
  openai: ['openai', '/v1'],
  google: ['gemini', '/v1beta'],
  'openai-eu': ['openai', '/v1'],
  groq: ['groq', '/v1'],
  'gpu-rack': ['vllm', '/v1'],
} as const

export const SETTINGS = `
registration: { open: true }
console: { name: Example AI }
`

/** Stored, as if it had been entered in the console. `vendor`: the URL of the sandbox. */
export const entriesOf = (vendor: string): string => `
upstreams:
${Object.entries(KINDS)
  .map(([id, [kind, path]]) => `  - { id: ${id}, kind: ${kind}, base_url: "${vendor}${path}", keys: [key-of-${id}] }`)
  .join('\n')}
models:
${MODELS.map(
  ({ id, upstream, price: [input, output], cost, context }) =>
    `  - { id: ${id}, routes: [{ upstream: ${upstream}, model: sandbox-text, cost: { input: ${cost[0]}, output: ${cost[1]} } }], price: { input: ${input}, output: ${output} }, limits: { context: ${context}, max_output: 64000 }, capabilities: [tools, images] }`,
).join('\n')}
groups:
  - { id: default, models: ["*"] }
  - { id: staff, models: ["*"], multiplier: 0.9, console: true }
  - { id: trial, models: [gpt-5.4-mini, gemini-3.8-flash, qwen3-local], multiplier: 1.2 }
`

export const MODEL_IDS = MODELS.map(({ id }) => id)

const models: readonly FilledModel[] = MODELS.map(({ id, upstream, price, cost }) => ({
  id,
  upstream,
  ...tokens(...price),
  cost: tokens(...cost),
}))

export const PLAN: ManyPlan = {
  accounts: 12,
  keysOfEach: 4,
  requests: 50_000,
  days: 31,
  models,
  emails: [
    HOLDER,
    'platform@northwind.example',
    'research@acme.example',
    'grace@example.com',
    'support-bot@contoso.example',
    'lin@example.com',
    'ci@fabrikam.example',
    'edsger@example.com',
    'barbara@example.com',
    'studio@tailspin.example',
    'margaret@example.com',
    OPERATOR,
  ],
  credits: [250, 1_000, 500, 100, 2_000, 150, 400, 120, 200, 750, 100, 300],
  keyNames: ['production', 'laptop', 'nightly batch', 'staging'],
}
