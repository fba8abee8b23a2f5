// The table of faults crossed with dialects: each cell is one call with its own upstream and model, so that no cell affects
// the circuit breaker, cool-down or statistics of another.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { type Fault, type FaultLocation, TIMEOUTS } from './fault.ts'

export type Cell = {
  id: string
  fault: Fault
  client: TextDialectId
  upstream: TextDialectId
  streamed: boolean
}

/** Each fault in pass-through for every dialect, and translated: from one upstream dialect, or (`full`) from all of them. */
export type Size = 'small' | 'full'

export function cellsOf(faults: readonly Fault[], size: Size): Map<Fault, Cell[]> {
  let count = 0
  const cells = new Map<Fault, Cell[]>()
  faults.forEach((fault, turn) => {
    const upstreams = fault.only ?? TEXT_DIALECT_IDS
    const pairs = upstreams.flatMap((upstream, index) => {
      const place = TEXT_DIALECT_IDS.indexOf(upstream) + 1 + (turn % 3)
      const other = TEXT_DIALECT_IDS[place % TEXT_DIALECT_IDS.length] ?? upstream
      const isTranslated = size === 'full' || index === turn % upstreams.length
      return (isTranslated ? [upstream, other] : [upstream]).map((client) => ({ client, upstream }))
    })
    const all = pairs.flatMap((pair) => [true, false].map((streamed) => ({ ...pair, streamed })))
    cells.set(
      fault,
      all.map((kind) => ({ id: `cell-${++count}`, fault, ...kind })),
    )
  })
  return cells
}

export const nameOf = ({ fault, client, upstream, streamed }: Cell): string =>
  `${fault.name}: ${client}${client === upstream ? '' : ` from ${upstream}`}, ${streamed ? 'streamed' : 'in one piece'}`

const BASE_PATH = { chat: '/v1', responses: '/v1', messages: '', 'generate-content': '/v1beta' } as const

/** The origin of each location; for HTTP/2, of each fault. */
export type Locations = Record<Exclude<FaultLocation, 'http2'>, string> & { http2: ReadonlyMap<string, string> }

/** One correct upstream per dialect, at the same origin as the faults: `honest-chat` and so on. */
export function configFor(cells: readonly Cell[], places: Locations): string {
  const price = 'price: { input: 1, output: 4 }'
  const honest = TEXT_DIALECT_IDS.map((dialect) => ({
    id: `honest-${dialect}`,
    dialect,
    model: 'sandbox-text',
    timeouts: TIMEOUTS.long,
    http2: false,
    base: `${places.proxy}/honest/honest-${dialect}${BASE_PATH[dialect]}`,
  }))
  const faulty = cells.map(({ id, fault, upstream }) => {
    const { at, name, switches, timeouts = 'long' } = fault
    const folder = at === 'proxy' || at === 'not-tls' || at === 'http2' ? `/${encodeURIComponent(name)}/${id}` : ''
    return {
      id,
      dialect: upstream,
      timeouts: TIMEOUTS[timeouts],
      http2: at === 'http2',
      model: switches ? `sandbox-text:${switches(upstream)}` : 'sandbox-text',
      base: `${at === 'http2' ? places.http2.get(name) : places[at]}${folder}${BASE_PATH[upstream]}`,
    }
  })
  const all = [...honest, ...faulty]
  const upstreams = all.map(
    ({ id, dialect, base, timeouts: { idle, total }, http2 }) =>
      `  - { id: ${id}, dialect: ${dialect}, base_url: "${base}", keys: [key-of-${id}], timeouts: { first_byte: ${idle}ms, idle: ${idle}ms, total: ${total}ms }${http2 ? ', http: 2' : ''} }`,
  )
  const models = all.map(
    ({ id, model }) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: "${model}" }], ${price} }`,
  )
  return `upstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
}
