// What the rules look at: each node measures itself, the cluster job asks the store.
import { X509Certificate } from 'node:crypto'
import { readFile, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { FileConfig } from '../config/types.ts'
import type { ErrorCounts } from '../observe/error-counts.ts'
import type { Node } from '../storage/node/node.ts'
import type { Storage } from '../storage/storage.ts'
import type { Health } from '../upstreams/health/health.ts'
import type { Fact } from './rules.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MOST_MODELS = 20

export type NodeDependencies = {
  config(): FileConfig
  upstreamHealth: Pick<Health, 'report'>
  node: Pick<Node, 'commitsLostAt'>
  errorCounts: Pick<ErrorCounts, 'recent'>
  /** Where this process writes; empty for all but one process of a machine. */
  folders(): readonly string[]
  clock(): number
  monotonic(): number
}

export async function measureNode(deps: NodeDependencies): Promise<Fact[]> {
  const { server } = deps.config()
  const folders = deps.folders()
  const certFile = folders.length > 0 ? server.tls?.certFile : undefined
  return [
    ...downUpstreams(deps),
    { rule: 'error_rate', object: '', ...deps.errorCounts.recent(deps.clock()) },
    ...lostCommits(deps),
    ...(await disks(folders)),
    ...(certFile === undefined ? [] : await expiry(certFile)),
  ]
}

/** Those none of whose keys works. A rate limit passes by itself. */
function downUpstreams({ config, upstreamHealth, monotonic }: NodeDependencies): Fact[] {
  const isDown = (state: string) => state === 'open' || state === 'probing' || state === 'rejected'
  return [...config().upstreams.values()]
    .filter((upstream) => upstreamHealth.report(upstream, monotonic()).every(({ state }) => isDown(state)))
    .map(({ id }) => ({ rule: 'upstream_down', object: `upstream ${id}`, amount: 1, total: 1 }))
}

function lostCommits({ node, clock, monotonic }: NodeDependencies): Fact[] {
  const at = node.commitsLostAt()
  return at === undefined ? [] : [{ rule: 'commits_lost', object: '', amount: clock() - (monotonic() - at), total: 1 }]
}

/** As `df` counts: what only root may use is not free. A folder on a disk that is known already is left out. */
async function disks(folders: readonly string[]): Promise<Fact[]> {
  const found = new Map<string, Fact>()
  for (const folder of folders) {
    const disk = await diskUse(folder).catch(() => undefined)
    if (!disk) continue
    const { used, total } = disk
    const same = `${used} ${total}`
    if (!found.has(same)) found.set(same, { rule: 'disk_full', object: `${hostname()} ${folder}`, amount: used, total })
  }
  return [...found.values()]
}

export async function diskUse(folder: string): Promise<{ used: number; free: number; total: number }> {
  const { bsize, blocks, bfree, bavail } = await statfs(folder)
  const used = (blocks - bfree) * bsize
  const free = bavail * bsize
  return { used, free, total: used + free }
}

/** A file that cannot be read is reported by the listener. */
async function expiry(file: string): Promise<Fact[]> {
  const at = await certificateExpiry(file).catch(() => undefined)
  return at === undefined
    ? []
    : [{ rule: 'certificate_expiring', object: `${hostname()} ${file}`, amount: at, total: 0 }]
}

export async function certificateExpiry(file: string): Promise<number> {
  return Date.parse(new X509Certificate(await readFile(file)).validTo)
}

/** `now` by the clock of the store's rows. */
export async function measureStore(
  { alerts, shares }: Pick<Storage, 'alerts' | 'shares'>,
  config: FileConfig,
  now: number,
): Promise<Fact[]> {
  const { thresholds, loss } = config.alerts
  const { limits } = config.server
  const holds = await alerts.oldHolds(now - thresholds.old_holds)
  const lost = await alerts.losses(now - (now % HOUR_MS) - DAY_MS, loss, MOST_MODELS)
  const contents = [
    ['stored responses', await shares.totalBytes('stored'), limits.storedBytes] as const,
    ['images and videos', await shares.totalBytes('media'), limits.mediaBytes] as const,
  ]
  return [
    { rule: 'old_holds', object: '', amount: holds.count, total: now - (holds.oldestAt ?? now) },
    ...lost.map(({ model, charged, upstreamCost }) => ({
      rule: 'margin_negative' as const,
      object: `model ${model}`,
      amount: Number(upstreamCost - charged),
      total: Number(charged),
    })),
    ...contents.map(([object, amount, total]) => ({ rule: 'contents_full' as const, object, amount, total })),
    ...(config.priceList === undefined
      ? []
      : [{ rule: 'price_list_old' as const, object: '', amount: Date.parse(config.priceList), total: 0 }]),
  ]
}
