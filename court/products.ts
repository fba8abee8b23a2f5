// What is known of a product beside its address: what it does not claim to serve, and how it says what it charged.
import type { Claims, Exception } from './claims.ts'
import type { Exchange } from './recorder.ts'
import type { Charged } from './runner.ts'

export type Product = Claims & {
  /** `total`: USD charged to a key so far; `of`: USD charged for these requests. */
  charges?: (at: { url: string; key: string }) => { of?: Charged; total?: () => Promise<number> }
}

const notServed = (why: string, ...endpoints: readonly string[]): Exception[] =>
  endpoints.map((endpoint) => ({ endpoint, why }))
const HAS_NO_STORE = 'stored responses are left to the vendor, and the court has none'
/** With `store` on, the AI SDK refers to stored items. */
const unstored: readonly Exception[] = [
  { area: 'tool loops', name: 'two turns with a tool, continued by the id', why: HAS_NO_STORE },
  ...['ai 5', 'ai 6', 'ai 7'].map((sdk) => ({
    area: 'tool loops' as const,
    client: `${sdk}, responses`,
    why: HAS_NO_STORE,
  })),
]
/** Cells with tools or a schema. */
const textOnly = (dialect: NonNullable<Exception['dialect']>, model: string): Exception[] =>
  ['a tool loop', 'structured output', 'two turns with a tool', 'the order of events: two calls'].map((name) => ({
    dialect,
    model,
    name,
    why: 'text only',
  }))
const withoutKeys: readonly Exception[] = ['a wrong key', 'a request without'].map((name) => ({
  area: 'errors',
  name,
  why: 'has no keys of its own',
}))
const nothingCounted: Exception = { area: 'money', name: 'charged', why: 'charges nobody' }

export const PRODUCTS: readonly Product[] = [
  {
    product: 'trivium',
    exceptions: [],
    charges: ({ url, key }) => ({
      async of(exchanges) {
        let sum = 0
        for (const { headers } of exchanges) sum += await receiptOf(url, key, headers['x-request-id'] ?? '')
        return sum
      },
    }),
  },
  {
    product: 'litellm',
    exceptions: [...unstored, { dialect: 'generate-content', name: 'the list', why: 'not documented' }],
    charges: () => ({
      // Without a database the only trace of a charge is this header, which streams do not have.
      async of(exchanges) {
        const costs = exchanges.map(({ headers }) => headers['x-litellm-response-cost'])
        return costs.includes(undefined) ? undefined : costs.reduce((sum, cost) => sum + Number(cost), 0)
      },
    }),
  },
  {
    product: 'new-api',
    exceptions: [
      ...unstored,
      ...notServed('not documented', '/v1/messages/count_tokens', '/v1beta/models/{model}:countTokens'),
      { dialect: 'responses', why: 'translation to and from Responses is in development' },
      { dialect: 'generate-content', model: 'over-messages', why: 'not documented' },
      ...textOnly('generate-content', 'over-chat'),
    ],
    charges: ({ url, key }) => ({
      async total() {
        const headers = { authorization: `Bearer ${key}` }
        const response = await fetch(`${url}/v1/dashboard/billing/usage`, { headers })
        const { total_usage: cents } = (await response.json()) as { total_usage: number }
        return cents / 100
      },
    }),
  },
  {
    product: 'portkey',
    exceptions: [
      ...unstored,
      nothingCounted,
      { dialect: 'generate-content', why: 'not documented for clients' },
      { dialect: 'messages', why: 'only to vendors of that protocol' },
      ...withoutKeys,
      { area: 'endpoints', name: 'the list', why: 'not documented' },
    ],
  },
  { product: 'bifrost', exceptions: [nothingCounted] },
  {
    product: 'nginx',
    exceptions: [
      ...unstored,
      { area: 'faults', why: 'passes on what it gets' },
      { area: 'endpoints', name: 'the list', why: 'passes on what it gets' },
      nothingCounted,
      ...withoutKeys,
    ],
  },
]

/** A receipt is there before the response ends; of a client that left, once the upstream is closed. */
async function receiptOf(url: string, key: string, id: string): Promise<number> {
  const end = Date.now() + 15_000
  for (;;) {
    const response = await fetch(`${url}/v1/usage/${id}`, { headers: { authorization: `Bearer ${key}` } })
    const receipt = (await response.json()) as { state?: string; cost_usd?: string }
    if ((response.ok && receipt.state !== 'open') || Date.now() > end) return Number(receipt.cost_usd)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The function that cells call: by sums before and after, where the product knows no more. */
export function chargedBy(product: Product | undefined, at: { url: string; key: string }): Charging | undefined {
  const { of, total } = product?.charges?.(at) ?? {}
  if (of) return { begin: async () => of }
  if (!total) return undefined
  return {
    async begin() {
      const before = await total()
      return async (_: readonly Exchange[]) => {
        let now = await total()
        // It may be charged after the response.
        for (let turn = 0; turn < 20 && now === before; turn++) {
          await new Promise((resolve) => setTimeout(resolve, 100))
          now = await total()
        }
        return now - before
      }
    },
  }
}

/** `begin`: before the requests of a cell. */
export type Charging = { begin(): Promise<Charged> }
