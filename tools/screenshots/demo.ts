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

/** The most used ones first. */
const MODELS: readonly DemoModel[] = [
  { id: 'claude-sonnet-x', upstream: 'anthropic', price: [3.6, 18], cost: [3, 15], context: 200_000 },
  { id: 'gpt-x', upstream: 'openai', price: [2.5, 10], cost: [2, 8], context: 400_000 },
  { id: 'gemini-x-flash', upstream: 'google', price: [0.4, 3], cost: [0.3, 2.5], context: 1_000_000 },
  { id: 'gpt-x-mini', upstream: 'azure-west', price: [0.3, 2.4], cost: [0.25, 2], context: 400_000 },
  { id: 'gemini-x-pro', upstream: 'google', price: [1.5, 12], cost: [1.25, 10], context: 1_000_000 },
  { id: 'deepseek-x', upstream: 'deepseek', price: [0.3, 0.5], cost: [0.28, 0.42], context: 128_000 },
  { id: 'qwen-x-local', upstream: 'gpu-rack', price: [0.1, 0.4], cost: [0.06, 0.25], context: 131_072 },
]

/** Each with the path at the end of its base URL. */
const KINDS = {
  anthropic: ['anthropic', ''],
  openai: ['openai', '/v1'],
  google: ['gemini', '/v1beta'],
  'azure-west': ['azure', '/openai/v1'],
  deepseek: ['deepseek', ''],
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
  - { id: trial, models: [gpt-x-mini, gemini-x-flash, qwen-x-local], multiplier: 1.2 }
`

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
