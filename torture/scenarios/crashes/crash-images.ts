// kill -9 at random moments of image calls: each is charged once or free, and no file is left without a record.
import type { Row } from '../../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import { newHome } from '../../../test/support/gateway/home.ts'
import { spooledFiles } from '../../../test/support/gateway/spooled-files.ts'
import { type Random, seeded } from '../../../tools/simulation/random.ts'
import { checkAudit, nanos } from '../../check-ledger.ts'
import { sweepAll } from '../../check-media.ts'
import { callForImages, type ImageResult, randomForm, urlsIn } from '../../image-client.ts'
import type { Findings, Scenario, Torture } from '../../scenario.ts'
import { accountOf, newWallet, rowsOf, startSandbox, type Wallet } from '../../setup.ts'
import { SIZES } from '../../sizes.ts'

const WORKERS = 6
const LONGEST_MS = 700
const PRICE = 40_000_000n
const CREDIT = '1000'
/** Some answers arrive while the gateway is killed, others are awaited. */
const MODELS = ['img', 'img-slow']

const configFor = (origin: string): string => `
upstreams:
  - { id: images, dialect: images, base_url: "${origin}/v1", keys: [any], breaker: false }
models:
  - { id: img, type: image, routes: [{ upstream: images, model: sandbox-image }], price: { per_image: 0.04 } }
  - { id: img-slow, type: image, routes: [{ upstream: images, model: "sandbox-image:slow-headers=200" }], price: { per_image: 0.04 } }
`

export const crashImages: Scenario = { name: 'crash-images', title: 'kill -9 at random moments of image calls', run }

async function run(torture: Torture): Promise<string> {
  const { random, findings, say } = torture
  const kills = torture.rounds ?? SIZES[torture.size].imageKills
  const sandbox = startSandbox()
  let gateway = await startGateway({ home: await newHome('sqlite', configFor(sandbox.url)) })
  const wallet = await newWallet(gateway, CREDIT)
  const all: ImageResult[] = []
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const load = startImageLoad(gateway, wallet, torture.seed * 1_000 + kill)
      await Bun.sleep(random.between(0, LONGEST_MS))
      await gateway.kill()
      const seen = await load.stop()
      gateway = await startGateway({ home: gateway.home })
      findings.must(spooledFiles(gateway.home).length === 0, `kill ${kill}: uploads are left after the start`)
      compare(seen, await rowsOf(gateway, wallet), findings)
      await repeatAll(gateway, wallet, seen, findings)
      all.push(...seen)
      await checkAudit(gateway, findings, true)
      if (kill % 10 === 0 || kill === kills) say(`  ${kill} of ${kills} kills, ${all.length} requests`)
      if (findings.all.length > 0) break
    }
    await checkBalance(gateway, wallet, findings)
    await checkDownloads(gateway, all, findings)
    await gateway.kill()
    const left = await sweepAll(gateway.home, findings)
    const complete = all.filter((seen) => seen.complete).length
    return `${kills} kills, ${all.length} requests, ${complete} answered in full, ${left} images kept`
  } finally {
    await gateway.stop()
    await sandbox.stop()
  }
}

function startImageLoad({ url }: Gateway, { secrets }: Wallet, seed: number) {
  const seen: ImageResult[] = []
  let isStopped = false
  async function work(random: Random, worker: number): Promise<void> {
    for (let call = 0; !isStopped; call++) {
      const form = randomForm(random, MODELS, `key-${seed}-${worker}-${call}`)
      seen.push(await callForImages(url, secrets[0] ?? '', form))
    }
  }
  const running = Array.from({ length: WORKERS }, (_, worker) => work(seeded(seed * 100 + worker), worker))
  return {
    async stop(): Promise<ImageResult[]> {
      isStopped = true
      await Promise.all(running)
      return seen
    },
  }
}

const describeResult = ({ form, requestId, status }: ImageResult): string =>
  `${requestId} (${JSON.stringify(form)}, status ${status})`

/** Complete answers are charged in full; of the others either all delivered images are, or nothing. */
function compare(seen: readonly ImageResult[], rows: readonly Row[], findings: Findings): void {
  const byId = new Map(rows.map((row) => [row.request_id, row]))
  findings.must(byId.size === rows.length, 'a request is in the ledger twice')
  for (const result of seen) {
    if (result.requestId === undefined || result.status !== 200) continue
    const row = byId.get(result.requestId)
    const what = describeResult(result)
    if (!row) findings.must(result.isReplayed, `${what}: started, but not in the ledger`)
    else {
      const due = BigInt(result.form.n) * PRICE
      const cost = nanos(row.cost_usd)
      findings.must(row.outcome !== 'running', `${what}: still running after the start`)
      findings.must(cost === due || (cost === 0n && !result.complete), `${what}: charged ${row.cost_usd}`)
    }
  }
}

/** Requests with an idempotency key that broke off are repeated: they are answered or run again, and paid for once. */
async function repeatAll(
  gateway: Gateway,
  wallet: Wallet,
  seen: readonly ImageResult[],
  findings: Findings,
): Promise<void> {
  const broken = seen.filter(({ form, complete }) => form.idempotencyKey !== undefined && !complete)
  for (const first of broken.slice(0, WORKERS)) {
    const before = totalOf(await rowsOf(gateway, wallet))
    const again = await callForImages(gateway.url, wallet.secrets[0] ?? '', first.form)
    const what = `${describeResult(first)}, repeated with status ${again.status}`
    const rows = await rowsOf(gateway, wallet)
    const paid = totalOf(rows) - before
    const due = BigInt(first.form.n) * PRICE
    const earlier = nanos(rows.find(({ request_id }) => request_id === first.requestId)?.cost_usd ?? '0')
    findings.must(again.complete || again.status === 409, `${what}: ${again.text.slice(0, 200)}`)
    findings.must(paid === 0n || (paid === due && earlier === 0n), `${what}: charged twice`)
    findings.must(!again.isReplayed || paid === 0n, `${what}: replayed and charged`)
  }
}

const totalOf = (rows: readonly Row[]): bigint => rows.reduce((sum, { cost_usd }) => sum + nanos(cost_usd), 0n)

async function checkBalance(gateway: Gateway, wallet: Wallet, findings: Findings): Promise<void> {
  const { balance_usd, held_usd } = await accountOf(gateway, wallet)
  const left = nanos(CREDIT) - totalOf(await rowsOf(gateway, wallet))
  findings.must(nanos(balance_usd) === left, `${balance_usd} left, the rows say ${left} nano-USD`)
  findings.must(nanos(held_usd) === 0n, `${held_usd} still held`)
}

/** What was delivered as a URL before a crash can still be downloaded after it. */
async function checkDownloads(gateway: Gateway, all: readonly ImageResult[], findings: Findings): Promise<void> {
  const urls = all.filter(({ complete }) => complete).flatMap(urlsIn)
  for (const url of urls.slice(-50)) {
    const { pathname, search } = new URL(url)
    const { status } = await fetch(gateway.url + pathname + search)
    findings.must(status === 200, `an image that was delivered as a URL: ${status}`)
  }
}
