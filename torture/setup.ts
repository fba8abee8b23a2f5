// The setup of a scenario: an upstream that outlives every gateway, gateways on one store, and the operator's commands.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { createSandbox } from '../packages/sandbox/src/handler.ts'
import type { Account, Row } from '../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../test/support/gateway/gateway.ts'
import { type Engine, homeOnSameDatabase, newHome } from '../test/support/gateway/home.ts'
import { operate } from '../test/support/gateway/operate.ts'

export type Wallet = { email: string; secrets: string[]; credit: string }

const BASE_PATH = { chat: '/v1', responses: '/v1', messages: '', 'generate-content': '/v1beta' } as const

export type CountingSandbox = {
  url: string
  /** The highest number of concurrent requests since the last call. */
  peak(): number
  stop(): Promise<void>
}

export function startSandbox(): CountingSandbox {
  const handle = createSandbox({ faults: true, pace: 0 })
  let running = 0
  let most = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      most = Math.max(most, ++running)
      return await handle(request).finally(() => running--)
    },
  })
  const peak = () => {
    const seen = most
    most = running
    return seen
  }
  return { url: server.url.origin, peak, stop: () => server.stop(true) }
}

/** The delay of an unstreamed response of a slow model. */
const SLOW_MS = 1_500

/**
 * The models `over-chat` and so on, and `slow-chat` and so on, at 1 and 4 USD per million unless said otherwise; with
 * another upstream `overcharging`, also `overcharging-chat` and so on.
 */
export function configForSandbox(
  origin: string,
  price = 'price: { input: 1, output: 4 }',
  overcharging?: string,
): string {
  const upstream = (name: string, id: TextDialectId, at: string) =>
    `  - { id: ${name}-${id}, dialect: ${id}, base_url: "${at}${BASE_PATH[id]}", keys: [any] }`
  const model = (name: string, id: TextDialectId, at: string, behind: string) =>
    `  - { id: ${name}-${id}, routes: [{ upstream: ${at}-${id}, model: "${behind}" }], ${price} }`
  const upstreams = TEXT_DIALECT_IDS.flatMap((id) => [
    upstream('over', id, origin),
    ...(overcharging === undefined ? [] : [upstream('overcharging', id, overcharging)]),
  ])
  const models = TEXT_DIALECT_IDS.flatMap((id) => [
    model('over', id, 'over', 'sandbox-text'),
    model('slow', id, 'over', `sandbox-text:slow-headers=${SLOW_MS}`),
    ...(overcharging === undefined ? [] : [model('overcharging', id, 'overcharging', 'sandbox-text')]),
  ])
  return `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
}

/** Gateways that share one store. More than one needs PostgreSQL. */
export async function startGateways(engine: Engine, count: number, config: string): Promise<Gateway[]> {
  const first = await newHome(engine, config)
  const homes = [first, ...Array.from({ length: count - 1 }, () => homeOnSameDatabase(first, config))]
  return await Promise.all(homes.map((home) => startGateway({ home })))
}

let accounts = 0

export async function newWallet(
  gateway: Gateway,
  credit: string,
  keys = 1,
  more: Record<string, string> = {},
): Promise<Wallet> {
  const email = `torture-${++accounts}-${process.pid}@example.com`
  await operate(gateway, 'account create', { email, credit })
  const secrets: string[] = []
  for (let index = 0; index < keys; index++) {
    const values = { account: email, name: `key ${index}`, ...more }
    secrets.push((await operate<{ secret: string }>(gateway, 'key create', values)).secret)
  }
  return { email, secrets, credit }
}

export const rowsOf = (gateway: Gateway, { email }: Wallet, limit = 0): Promise<Row[]> =>
  operate(gateway, 'usage', { account: email, limit: String(limit) })

export const accountOf = (gateway: Gateway, { email }: Wallet): Promise<Account> =>
  operate(gateway, 'account show', { account: email })

export type Audit = { ok: boolean; open_holds: number; negative_accounts: string[] }

export const auditOf = (gateway: Gateway): Promise<Audit> => operate(gateway, 'audit')
