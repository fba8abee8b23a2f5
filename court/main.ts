// `npm run court`: runs a gateway, ours or another, through what clients rely on.
//
//   npm run court -- --url URL --key KEY --models MODEL,MODEL,embedding:MODEL,image:MODEL
//   npm run court -- --url URL --key KEY --models ... --upstream 4455      also faults and money, with the court's vendor behind it
//   npm run court -- --peer trivium                                        a gateway of bench/peers, started for it
import './node20.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { AREAS, type Cell, type ModelKind } from './cell.ts'
import { CELLS } from './cells/index.ts'
import { EVERYTHING, readClaims } from './claims.ts'
import { chargedBy, PRODUCTS } from './products.ts'
import { pageOf } from './report/page.ts'
import { findingsOf, tableOf } from './report/table.ts'
import { type CourtOptions, holdCourt, type Result } from './runner.ts'
import { howToConfigure, untilReached } from './vendor/configure.ts'
import { startVendor, type Vendor } from './vendor/vendor.ts'

/** Beside this file, in a checkout and in the package. */
const { version: VERSION = 'of a checkout' } = createRequire(import.meta.url)('./package.json') as { version?: string }

const text = { type: 'string' } as const
const OPTIONS = {
  url: text,
  key: text,
  models: text,
  upstream: text,
  peer: text,
  product: text,
  claims: text,
  areas: text,
  clients: text,
  without: text,
  json: text,
  html: text,
  concurrency: text,
  header: { type: 'string', multiple: true },
  help: { type: 'boolean' },
} as const
const HELP = `court --url URL --key KEY --models MODEL[,MODEL][,embedding:MODEL][,image:MODEL]
  --upstream PORT     also faults and money: the court is the gateway's vendor, on this port of 127.0.0.1
  --product NAME      what is known of ${PRODUCTS.map(({ product }) => product).join(', ')}: claims, and how charges are read
  --claims FILE       what the product does not claim to serve: {"product": "...", "exceptions": [{"endpoint": "...", "why": "..."}]}
  --header 'N: V'     a header that the gateway needs besides; may be repeated
  --areas A,B         only these: ${AREAS.join(', ')}
  --clients A,B       only clients whose name begins so, such as openai or "ai 7"
  --without A,B       no cells whose name has one of these parts
  --concurrency N     cells at once (8)
  --json FILE         all results; failed cells with request and response
  --html FILE         the same as one page
  --peer NAME         in a checkout: starts this gateway of bench/peers with the court as its vendor
Exits 1 if a cell failed that the product claims to serve.`

function stop(why: string): never {
  console.error(`court: ${why}`)
  process.exit(2)
}

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch (error) {
    return stop((error as Error).message)
  }
}

function modelsIn(list: string): CourtOptions['models'] {
  const models: Partial<Record<ModelKind, string[]>> = {}
  for (const entry of list.split(',').filter((each) => each !== '')) {
    const [, kind = 'text', name = entry] = /^(text|embedding|image):(.+)$/.exec(entry) ?? []
    models[kind as ModelKind] = [...(models[kind as ModelKind] ?? []), name]
  }
  return models
}

function headersIn(list: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    list.map((line) => {
      const colon = line.indexOf(':')
      if (colon < 1) stop(`--header takes 'NAME: VALUE', not ${line}`)
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

function chosen(): Cell[] {
  const areas = values.areas?.split(',')
  const wrong = areas?.find((area) => !AREAS.some((each) => each === area))
  if (wrong !== undefined) stop(`there is no area ${wrong}; there are ${AREAS.join(', ')}`)
  const clients = values.clients?.split(',')
  const without = values.without?.split(',') ?? []
  return CELLS.filter(
    ({ area, client, name }) =>
      !without.some((part) => name.includes(part)) &&
      (areas?.includes(area) ?? true) &&
      (clients?.some((each) => client.startsWith(each)) ?? true),
  )
}

type Gateway = Pick<CourtOptions, 'gateway' | 'key' | 'models' | 'headers'> & { stop?(): Promise<void> }

const values = readOptions()
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const port = Number(values.upstream ?? 0)
if (!Number.isInteger(port) || port < 0 || port > 65_535) stop('--upstream takes a port')
const vendor: Vendor | undefined =
  values.upstream !== undefined || values.peer !== undefined ? await startVendor(port) : undefined
const gateway = values.peer === undefined ? given() : await peer(values.peer)
const known = PRODUCTS.find(({ product }) => product === (values.product ?? values.peer))
if (values.product !== undefined && known === undefined) stop(`nothing is known of the product ${values.product}`)
const claims = values.claims === undefined ? (known ?? EVERYTHING) : readClaims(readFileSync(values.claims, 'utf8'))
if (vendor !== undefined && values.peer === undefined) {
  console.error(howToConfigure(vendor.origin))
  await untilReached(vendor, gateway).catch((error: Error) => stop(error.message))
}
const results = await holdCourt(chosen(), {
  ...gateway,
  claims,
  vendor,
  charging: chargedBy(known, { url: gateway.gateway, key: gateway.key }),
  ...(values.concurrency ? { concurrency: Number(values.concurrency) } : {}),
  onResult(_, done, all) {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all}`)
    else if (done % 200 === 0) console.error(`${done} of ${all}`)
  },
})
await gateway.stop?.()
vendor?.stop()
report(results)
process.exit(results.some(({ outcome, unclaimed }) => outcome === 'failed' && unclaimed === undefined) ? 1 : 0)

function given(): Gateway {
  const { url, key, models } = values
  if (url === undefined || key === undefined || models === undefined)
    return stop(`needs --url, --key and --models.\n${HELP}`)
  if (!URL.canParse(url)) stop(`--url takes a URL such as http://127.0.0.1:3333, not ${url}`)
  return { gateway: url, key, models: modelsIn(models), headers: headersIn(values.header) }
}

async function peer(name: string): Promise<Gateway> {
  if (process.versions.bun === undefined) return stop('--peer needs a checkout: it starts gateways of bench/peers')
  const path = '../bench/peers/index.ts'
  const { ALL_PEERS, isInstalled, PEERS } = (await import(path)) as typeof import('../bench/peers/index.ts')
  const found = ALL_PEERS.find((each) => each.name === name)
  if (!found) return stop(`no peer ${name}; there are ${ALL_PEERS.map((each) => each.name).join(', ')}`)
  if (!isInstalled(found)) return stop(`${name} is not installed:\n${found.install.replaceAll('$PEERS', PEERS)}`)
  const upstream = { origin: vendor?.origin ?? '', model: 'sandbox-text', embeddingModel: 'sandbox-embedding' }
  const running = await found.start({ ...upstream, imageModel: 'sandbox-image' })
  const { url, key, models, headers } = running
  return { gateway: url, key, models, headers: { ...headers }, stop: running.stop }
}

function report(results: readonly Result[]): void {
  const circumstances = {
    product: claims.product,
    gateway: gateway.gateway,
    at: new Date().toISOString().slice(0, 16).replace('T', ' '),
    court: VERSION,
    vendor: vendor !== undefined,
  }
  console.log(`${tableOf(results)}\n`)
  for (const line of findingsOf(results)) console.log(line)
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ ...circumstances, results }, null, 1)}\n`)
  if (values.html) writeFileSync(values.html, pageOf(results, circumstances))
}
