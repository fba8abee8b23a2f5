// The stored configuration changes without a pause under steady load, and while gateways are killed.
import { callServer } from '../../packages/gateway/src/cli/control-socket.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import type { Engine } from '../../test/support/gateway/home.ts'
import { checkAudit, nanos } from '../check-ledger.ts'
import type { Findings, Scenario, Torture } from '../scenario.ts'
import { newWallet, rowsOf, startGateways, startSandbox, type Wallet } from '../setup.ts'
import { SIZES } from '../sizes.ts'

/** An operation in the process of this gateway, whatever its store. */
async function perform<T>({ home }: Gateway, name: string, input: object): Promise<T> {
  const answered = await callServer(home.dataDir, name, input)
  if (!answered) throw new Error(`no gateway is running in ${home.dataDir}`)
  return answered.result as T
}

type Price = { input: string; output: string }
type Revision = { id: string; changes: { kind: string; id: string; after: { price?: Price } | null }[] }

const newestRevision = async (gateway: Gateway): Promise<number> => {
  const { items } = await perform<{ items: { id: string }[] }>(gateway, 'revision list', { limit: 1 })
  return Number(items[0]?.id ?? 0)
}

const MODEL = 'steady'
const upstream = (id: string, url: string) => ({ id, dialect: 'chat', base_url: `${url}/v1`, keys: [`key-of-${id}`] })
const route = (name: string) => [{ upstream: name, model: 'sandbox-text' }]
/** No two give the same cost for the same tokens. */
const priceAt = (step: number): Price => ({ input: `${1 + step}.01`, output: `${2 * step + 3}.03` })

/** Each adds an upstream, moves the route, changes the price, disables an upstream, enables it again, or undoes the change before. */
const CHANGES: readonly ((gateway: Gateway, step: number, url: string) => Promise<unknown>)[] = [
  (gateway, step, url) => perform(gateway, 'upstream create', upstream(`extra-${step}`, url)),
  (gateway, step) => perform(gateway, 'model change', { model: MODEL, routes: route(`extra-${step - 1}`) }),
  (gateway, step) => perform(gateway, 'model change', { model: MODEL, price: priceAt(step) }),
  (gateway) => perform(gateway, 'upstream disable', { upstream: 'spare' }),
  (gateway) => perform(gateway, 'upstream enable', { upstream: 'spare' }),
  async (gateway) => perform(gateway, 'revision restore', { revision: String((await newestRevision(gateway)) - 1) }),
]

const changesOn = (engine: Engine, nodes: number): Scenario => ({
  name: `configuration-${engine}`,
  title: `changes of the stored configuration in a row under load, ${engine}, ${nodes} node${nodes > 1 ? 's' : ''}`,
  run: (torture) => changeUnderLoad(torture, engine, nodes),
})

export const configurationSqlite = changesOn('sqlite', 1)
export const configurationPostgres = changesOn('postgres', 2)

async function changeUnderLoad(torture: Torture, engine: Engine, nodes: number): Promise<string> {
  const { findings, say } = torture
  const { changes: most, requestsPerSecond } = SIZES[torture.size].configuration
  const changes = torture.rounds ?? most
  const sandbox = startSandbox()
  const gateways = await startGateways(engine, nodes, 'sandbox: false\n')
  const [first] = gateways
  if (!first) throw new Error('no gateway was started')
  try {
    await perform(first, 'upstream create', upstream('spare', sandbox.url))
    await perform(first, 'upstream create', upstream('main', sandbox.url))
    const price = priceAt(0)
    await perform(first, 'model create', { id: MODEL, routes: [...route('main'), ...route('spare')], price })
    await untilAll(gateways, await newestRevision(first))
    const wallet = await newWallet(first, '1000')
    const load = startLoad(gateways, wallet, requestsPerSecond, findings)
    for (let step = 0; step < changes; step++) {
      // Each node writes in turn.
      const gateway = gateways[step % gateways.length] ?? first
      await CHANGES[step % CHANGES.length]?.(gateway, step, sandbox.url)
      if ((step + 1) % 100 === 0) say(`  ${step + 1} of ${changes} changes, ${load.served()} requests`)
    }
    const served = await load.stop()
    await untilAll(gateways, await newestRevision(first))
    const revisions = await checkPrices(first, wallet, served, findings)
    await checkAudit(first, findings, true)
    return `${changes} changes, ${revisions} revisions, ${served.length} requests`
  } finally {
    for (const gateway of gateways) await gateway.stop()
    await sandbox.stop()
  }
}

/** Until this revision is in force everywhere. */
async function untilAll(gateways: readonly Gateway[], revision: number): Promise<void> {
  for (const { url } of gateways)
    for (const end = performance.now() + 60_000; ; await Bun.sleep(20)) {
      const { revision: inForce } = (await (await fetch(`${url}/ready`)).json()) as { revision: number }
      if (inForce >= revision) break
      if (performance.now() > end) throw new Error(`revision ${revision} is not in force at ${url}`)
    }
}

function startLoad(gateways: readonly Gateway[], { secrets }: Wallet, perSecond: number, findings: Findings) {
  const served: string[] = []
  const running = new Set<Promise<void>>()
  let sent = 0
  const body = { model: MODEL, messages: [{ role: 'user', content: 'say 5 words' }] }
  async function one(gateway: Gateway): Promise<void> {
    const answer = await chat(gateway.url, secrets[0] ?? '', body)
    const text = await answer.text()
    findings.must(answer.status === 200, () => `a request failed with ${answer.status}: ${text.slice(0, 200)}`)
    served.push(answer.headers.get('x-request-id') ?? '')
  }
  const timer = setInterval(() => {
    // On a busy machine the load is what it can be: requests do not pile up.
    if (running.size >= 50) return
    const gateway = gateways[sent++ % gateways.length]
    if (!gateway) return
    const request = one(gateway).catch((error) => findings.add(`a request broke off: ${error}`))
    running.add(request)
    void request.finally(() => running.delete(request))
  }, 1_000 / perSecond)
  return {
    served: () => served.length,
    async stop(): Promise<string[]> {
      clearInterval(timer)
      await Promise.all(running)
      return served
    },
  }
}

type Receipt = { configuration: { revision: number }; units: { input: number; output: number } }

/** Every request was charged the price of the revision that its receipt names. */
async function checkPrices(gateway: Gateway, wallet: Wallet, served: readonly string[], findings: Findings) {
  const newest = await newestRevision(gateway)
  const prices: (Price | undefined)[] = [undefined]
  for (let number = 1; number <= newest; number++) {
    const { changes } = await perform<Revision>(gateway, 'revision show', { revision: String(number) })
    const changed = changes.find(({ kind, id }) => kind === 'model' && id === MODEL)
    prices.push(changed ? changed.after?.price : prices[number - 1])
  }
  const rows = await rowsOf(gateway, wallet)
  findings.must(
    rows.length === served.length,
    `${served.length} requests were served, ${rows.length} are in the ledger`,
  )
  for (const row of rows) {
    const { configuration, units } = row.receipt as unknown as Receipt
    const price = prices[configuration.revision]
    const due = price && BigInt(units.input) * perToken(price.input) + BigInt(units.output) * perToken(price.output)
    findings.must(
      due === nanos(row.cost_usd),
      `${row.request_id}: revision ${configuration.revision}, charged ${row.cost_usd}, due ${due} nano-USD`,
    )
  }
  const named = new Set(rows.map((row) => (row.receipt as unknown as Receipt).configuration.revision))
  findings.must(named.size > 1, 'all requests were priced by one revision')
  return newest
}

/** USD per million tokens in nano-USD per token; prices have two places. */
const perToken = (usd: string): bigint => BigInt(usd.replace('.', '')) * 10n

const crashesOn = (engine: Engine): Scenario => ({
  name: `crash-configuration-${engine}`,
  title: `kill -9 at random moments of changes of the configuration, ${engine}`,
  run: (torture) => killWhileChanging(torture, engine),
})

export const crashConfigurationSqlite = crashesOn('sqlite')
export const crashConfigurationPostgres = crashesOn('postgres')

const LONGEST_MS = 400

/** One change has several entries and a secret: after a crash all of it is there, or nothing. */
const versionAt = (step: number) => ({
  console: { name: `version ${step}` },
  registration: { trial_credit: String(step) },
  mail: { url: `smtp://user:password-${step}@127.0.0.1:25`, from: `version-${step}@example.com` },
})

async function killWhileChanging(torture: Torture, engine: Engine): Promise<string> {
  const { random, findings } = torture
  const kills = torture.rounds ?? SIZES[torture.size].configuration.kills
  let [gateway] = await startGateways(engine, 1, '')
  if (!gateway) throw new Error('no gateway was started')
  let [step, written] = [1, 0]
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const running = gateway
      let isKilled = false
      const changing = (async () => {
        for (; !isKilled; step++) {
          await perform(running, 'settings change', versionAt(step))
          written = step
        }
      })().catch(() => {})
      await Bun.sleep(random.between(0, LONGEST_MS))
      isKilled = true
      await running.kill()
      await changing
      gateway = await startGateway({ home: running.home })
      // What was stored without an answer counts from now on.
      written = await checkWhole(gateway, written, findings)
      step = written + 1
      if (findings.all.length > 0) break
    }
    return `${kills} kills, ${await newestRevision(gateway)} revisions`
  } finally {
    await gateway.stop()
  }
}

type Setting = { id: string; value: unknown; source: { from: string; revision: number } }

/** The version that is in force: the last that was acknowledged, or the one whose answer was lost. */
async function checkWhole(gateway: Gateway, written: number, findings: Findings): Promise<number> {
  const { settings: all } = await perform<{ settings: Setting[] }>(gateway, 'settings show', {})
  const settings = all.filter(({ source }) => source.from === 'stored')
  const found = new Map(settings.map(({ id, value }) => [id, value] as const).sort())
  const version = Number(String(found.get('console.name') ?? '0').replace('version ', ''))
  findings.must(version === written || version === written + 1, `version ${version} is stored, ${written} was written`)
  if (version === 0) return 0
  const expected = ['console.name', 'mail.from', 'mail.url', 'registration.trial_credit']
  findings.must(`${[...found.keys()]}` === `${expected}`, `half a revision: ${[...found.keys()]}`)
  findings.must(
    found.get('registration.trial_credit') === String(version) &&
      found.get('mail.from') === `version-${version}@example.com`,
    `mixed versions: ${JSON.stringify([...found])}`,
  )
  const newest = await newestRevision(gateway)
  findings.must(
    settings.every(({ source }) => source.revision === newest),
    'entries of different revisions',
  )
  const { revision } = (await (await fetch(`${gateway.url}/ready`)).json()) as { revision: number }
  findings.must(revision === newest, `revision ${newest} is stored, ${revision} in force`)
  return version
}
