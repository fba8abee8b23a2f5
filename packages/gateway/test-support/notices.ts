// For tests of notices: an account with people, a key that is charged, a mail server and a webhook, and what job runs do.
import { afterEach, beforeEach } from 'bun:test'
import { hold, type KeyFields, newKey, newNode, settle, type Wallet } from '../contract/storage/harness.ts'
import { createAccountCipher } from '../src/access/secrets/account-cipher.ts'
import { assemble } from '../src/config/assemble.ts'
import { CREDIT } from '../src/money/ledger.ts'
import { firstIdAt } from '../src/money/request-ids.ts'
import { deliverNotices } from '../src/notices/deliver.ts'
import { findNotices } from '../src/notices/find.ts'
import type { NoticeDependencies } from '../src/notices/tell.ts'
import type { AuditEntry, Storage } from '../src/storage/storage.ts'
import { postPublic } from '../src/upstreams/public/post-public.ts'
import { type ClockedStore, openClocked, type StoreEngine } from './clocked-store.ts'
import { type SmtpOptions, startSmtp, type TestSmtp } from './smtp-server.ts'

export const USD = 1_000_000_000n

export const CIPHER = createAccountCipher('a master secret of a test')

/** `notices`: the section, as YAML. */
export function noticesConfig(mailPort: number | undefined, notices = '') {
  const source = `
callbacks: { allow_private: true }
${mailPort === undefined ? '' : `mail: { url: "smtp://localhost:${mailPort}?tls=off", from: gw@example.com }`}
console: { name: Example AI }
notices: { ${notices} }
`
  const { config, mistakes } = assemble({ source, file: '/etc/trivium.yaml', env: {} })
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}

export type Logged = { message: string; [field: string]: unknown }

export function noticeNode(
  storage: () => Storage,
  config: () => ReturnType<typeof noticesConfig>,
  logged: Logged[] = [],
) {
  const note = (message: string, fields: object = {}) => void logged.push({ message, ...fields })
  const deps: NoticeDependencies = {
    get storage() {
      return storage()
    },
    config,
    gateway: () => 'https://gw.example.com',
    accountCipher: CIPHER,
    postPublic,
    log: { info: note, warn: note, error: note },
  }
  return {
    deps,
    find: () => findNotices(deps),
    async deliver() {
      while (await deliverNotices(deps)) {
        // The next page.
      }
    },
    async run() {
      await findNotices(deps)
      await this.deliver()
    },
  }
}

let sequence = 0n
/** Ids of nodes are few, and none is taken twice in a test. */
const MOST_NODES = 1_000

/** Charges a key. `budgets`: those that the request counts against. */
export async function charge(storage: Storage, wallet: Wallet, cost: bigint, budgets?: readonly bigint[]) {
  const node = await newNode(storage, 1 + (Number(sequence) % MOST_NODES))
  const id = firstIdAt(storage.now()) + sequence++
  const { keys, ledger } = storage
  const { revision } = (await keys.list(wallet.account)).find((key) => key.id === wallet.key) ?? { revision: 0 }
  const held = hold(id, wallet, node, { amount: cost, minimum: cost, revision, ...(budgets && { budgets }) })
  const granted = await ledger.apply(held)
  if (granted.verdict !== 'done') throw new Error(`hold: ${granted.verdict}`)
  await ledger.apply(settle(id, node, cost))
}

export type Message = { type: string; timestamp: string; data: Record<string, unknown> }

type Made = Wallet & { person: bigint }

export const NOTICES_START = Date.UTC(2041, 4, 10, 12)

/** Each test has a store of this engine, a mail server and a receiver, past the first pass, of which nothing is told. */
export function useNotices(engine: StoreEngine) {
  let store: ClockedStore
  let smtp: TestSmtp
  let hook: ReturnType<typeof Bun.serve>
  const received: { headers: Headers; body: string }[] = []
  const logged: Logged[] = []
  const storage = (): Storage => store.storage
  const world = {
    config: noticesConfig(undefined),
    answer: (): Response | Promise<Response> => new Response(null, { status: 204 }),
    received,
    logged,
    storage,
    get store() {
      return store
    },
    get smtp() {
      return smtp
    },
    /** The address of the receiver. */
    get hook() {
      return hook.url.href
    },
    async newSmtp(options: SmtpOptions) {
      await smtp.stop()
      smtp = await startSmtp(options)
      world.config = noticesConfig(smtp.port)
    },
    node: () => noticeNode(storage, () => world.config, logged),
    find: () => world.node().find(),
    deliver: () => world.node().deliver(),
    run: () => world.node().run(),
    /** An account with one owner, money and a key. */
    async newAccount(email: string, fields: KeyFields = {}, credit = 100n * USD): Promise<Made> {
      const account = await storage().accounts.create(email, credit, CREDIT)
      if (!account) throw new Error('the address is taken')
      const person = (await storage().people.find(email))?.id ?? 0n
      const key = await newKey(storage(), account.id, { name: 'laptop', lastFour: 'abcd', ...fields })
      return { account: account.id, key: key.id, email, person }
    },
    async newMember(account: bigint, email: string): Promise<bigint> {
      if ((await storage().members.set(account, { email }, 'member')) !== 'done')
        throw new Error(`${email} is no member`)
      return (await storage().people.find(email))?.id ?? 0n
    },
    spend: (wallet: Wallet, usd: number, budgets?: readonly bigint[]) =>
      charge(storage(), wallet, BigInt(Math.round(usd * 1e9)), budgets),
    subjects: () => smtp.mails.map(({ to, headers }) => `${to}: ${subjectOf(headers)}`),
    messages: () => received.map(({ body }) => JSON.parse(body) as Message),
    async listed(account: bigint) {
      const notices = await storage().notices.list(account, {}, 100)
      const deliveries = await storage().notices.deliveriesOf(notices.map(({ id }) => id))
      const sentOf = (notice: bigint) =>
        deliveries.filter((each) => each.notice === notice).map(({ email, state }) => `${email ?? 'webhook'} ${state}`)
      return notices.map(({ id, kind, withheld }) => ({ kind, withheld, sent: sentOf(id) }))
    },
    audit: (action: string, object: string, actor: AuditEntry['actor'], reason = '') =>
      storage().auditLog.add({
        action,
        object,
        actor,
        reason,
        address: '',
        requestId: undefined,
        before: undefined,
        after: undefined,
      }),
  }
  beforeEach(async () => {
    store = await openClocked(engine, NOTICES_START)
    smtp = await startSmtp({ mode: 'plain' })
    received.length = 0
    logged.length = 0
    world.answer = () => new Response(null, { status: 204 })
    hook = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        received.push({ headers: request.headers, body: await request.text() })
        return world.answer()
      },
    })
    world.config = noticesConfig(smtp.port)
    await world.find()
    await store.elapse(60_000)
  })
  afterEach(async () => {
    await hook.stop(true)
    await smtp.stop()
    await store.close()
  })
  return world
}

const subjectOf = (headers: string) => /^Subject: (.*(?:\r\n .*)*)/m.exec(headers)?.[1]?.replace(/\r\n /g, ' ')
