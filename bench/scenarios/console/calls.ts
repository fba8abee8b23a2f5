// What the pages of the console read, as an account holder with much data opens them.
import type { ConsoleClient } from '../../../test/support/gateway/console.ts'

/** `isExport`: a file, whose cost grows with its length. */
export type PageCall = { name: string; path: string; isExport?: true }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Listed<T> = { items: T[]; next: string | null }

export async function pageCalls(client: ConsoleClient, days: number): Promise<PageCall[]> {
  const now = Date.now()
  const iso = (ms: number) => new Date(ms).toISOString()
  const idOf = async (query: string) =>
    (await client.get<Listed<{ request_id: string }>>(`requests?${query}`)).body.items[0]?.request_id
  const newest = await idOf('')
  const deep = await idOf(`to=${iso(now - (days - 10) * DAY_MS)}`)
  const { items: keys } = (await client.get<Listed<{ id: string }>>('keys')).body
  const key = keys[0]?.id
  const [, statement] = (await client.get<{ month: string }[]>('wallet/statements')).body
  const week = `from=${iso(now - 7 * DAY_MS)}&to=${iso(now)}`
  return [
    ...['session', 'sessions', 'overview', 'groups', 'models', 'playground/key'].map(plain),
    { name: 'keys, first page', path: 'keys' },
    { name: 'keys, last page', path: 'keys?before=51' },
    { name: 'keys, deleted', path: 'keys?state=deleted' },
    { name: 'keys, search', path: 'keys?name=production%2031' },
    { name: 'keys, search without a match', path: 'keys?name=none' },
    ...[1, 7, 30, 90, days].flatMap((length) => usageOf(length, now)),
    { name: 'usage of one key, 90 days', path: `usage?from=${iso(now - 90 * DAY_MS)}&step=day&by=model&key=${key}` },
    { name: 'usage by month, all', path: `usage?from=${iso(now - days * DAY_MS)}&step=month&by=model` },
    { name: 'requests, first page', path: `requests?${week}` },
    { name: 'requests, deep page', path: `requests?before=${deep}` },
    { name: 'requests of a model', path: 'requests?model=qwen-x' },
    { name: 'requests of a key', path: `requests?key=${key}` },
    { name: 'requests by outcome', path: 'requests?outcome=content_filtered' },
    { name: 'requests by a rare outcome', path: 'requests?outcome=reaped' },
    { name: 'requests, all filters', path: `requests?${week}&model=qwen-x&key=${key}&outcome=failed` },
    { name: 'requests, deep, without a match', path: `requests?before=${deep}&outcome=none` },
    { name: 'receipt', path: `requests/${newest}` },
    { name: 'receipt of an old request', path: `requests/${deep}` },
    plain('wallet'),
    { name: 'history, first page', path: 'wallet/history' },
    { name: 'history, last page', path: `wallet/history?before=${iso(now - (days - 20) * DAY_MS)}` },
    { name: 'statements', path: 'wallet/statements' },
    { name: 'CSV of a statement', path: `wallet/statements/${statement?.month}.csv` },
    { name: 'CSV of requests, 7 days', path: `requests.csv?${week}`, isExport: true },
    { name: 'CSV of requests, all', path: 'requests.csv', isExport: true },
  ]
}

const plain = (path: string): PageCall => ({ name: path, path })

const usageOf = (days: number, now: number): PageCall[] =>
  ['model', 'key'].map((by) => {
    const step = days <= 2 ? 'hour' : 'day'
    const from = new Date(now - days * DAY_MS).toISOString()
    return {
      name: `usage by ${by}, ${days === 1 ? '24 hours' : `${days} days`}`,
      path: `usage?from=${from}&step=${step}&by=${by}`,
    }
  })
