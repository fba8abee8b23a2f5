// The account whose console is measured: much more than a person would have, in a gateway of its own.
import { NANOS_PER_USD } from '../../../packages/gateway/src/money/amount.ts'
import { type ConsoleClient, consoleClient } from '../../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import { type Engine, newHome } from '../../../test/support/gateway/home.ts'
import { type FilledKey, fillStore } from '../../../tools/fill/fill.ts'

export const EMAIL = 'bench@example.com'
export const PASSWORD = 'correct horse battery'
export const DAYS = 120
export const SIZES = { quick: { keys: 100, requests: 5_000 }, full: { keys: 1_000, requests: 100_000 } }
const TOP_UPS = 8
const STEP_MS = 3 * 3_600_000
const AUDITED_WITHIN_MS = 120_000

const PRICES: readonly [id: string, input: bigint, output: bigint][] = [
  ['gpt-x', 2n, 8n],
  ['claude-x', 3n, 15n],
  ['gemini-x', 1n, 10n],
  ['deepseek-x', 1n, 2n],
  ['qwen-x', 1n, 3n],
]

const CONFIG = `
sandbox: true
upstreams: [{ id: demo, kind: sandbox }]
models:
${PRICES.map(([id, input, output]) => `  - { id: ${id}, routes: [{ upstream: demo, model: sandbox-text }], price: { input: ${input}, output: ${output} } }`).join('\n')}
`

export type FilledGateway = { gateway: Gateway; client: ConsoleClient }

export async function openFilled(engine: Engine, size: keyof typeof SIZES): Promise<FilledGateway> {
  const { keys, requests } = SIZES[size]
  const home = await newHome(engine, CONFIG)
  await fillStore(home, {
    email: EMAIL,
    password: PASSWORD,
    requests,
    days: DAYS,
    stepMs: STEP_MS,
    topUps: TOP_UPS,
    keys: Array.from({ length: keys }, (_, place) => keyOf(place)),
    models: PRICES.map(([id, input, output]) => ({
      id,
      input: input * NANOS_PER_USD,
      output: output * NANOS_PER_USD,
    })),
  })
  const gateway = await startGateway({ home })
  // The audit after the start reads the whole ledger.
  const end = performance.now() + AUDITED_WITHIN_MS
  while (!gateway.output().stderr.includes('audit: ') && performance.now() < end) await Bun.sleep(100)
  const client = consoleClient(gateway.url)
  const { status } = await client.post('sign-in', { email: EMAIL, password: PASSWORD })
  if (status !== 200) throw new Error(`sign-in: ${status}`)
  return { gateway, client }
}

function keyOf(place: number): FilledKey {
  const name = `${['laptop', 'production', 'nightly batch', 'experiment'][place % 4]} ${place}`
  return place % 10 === 9 ? { name, deleted: true } : { name }
}
