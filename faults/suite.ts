// Runs the faults on one gateway: the cells of a fault in parallel, then correct calls, memory and ledger.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { startSandboxServer } from '../packages/sandbox/src/server.ts'
import { type Gateway, startGateway } from '../test/support/gateway/gateway.ts'
import { head } from '../test/support/upstreams/raw-upstream.ts'
import { checkAudit, compareWallet } from '../torture/check-ledger.ts'
import { type Findings, openFindings } from '../torture/scenario.ts'
import { newWallet, type Wallet } from '../torture/setup.ts'
import { type Cell, cellsOf, configFor, type Locations, nameOf, type Size } from './cells.ts'
import { type Fault, limitOf, SLACK_MS, TIMEOUTS } from './fault.ts'
import { AUTHORITY, startHttp2 } from './http2.ts'
import { type CellResult, judge, sendRequest } from './judge.ts'
import { type FaultProxy, startProxy } from './wire.ts'

/** How much memory one fault may take. */
const MOST_GROWTH = 64 * 1024 * 1024

/** The result of one fault. `growth`: the most memory that it took, in bytes. */
export type Outcome = { calls: number; growth: number; findings: Findings }

export type FaultRunner = {
  /** Several may run in parallel, except heavy ones. */
  run(fault: Fault): Promise<Outcome>
  /** Checks what must hold after all of them. */
  close(): Promise<Findings>
}

type Parts = { gateway: Gateway; proxy: FaultProxy }

/** Starts one gateway for all of these faults. `say`: called with each violation at once. */
export async function startFaultRunner(
  faults: readonly Fault[],
  size: Size,
  say = (_: string) => {},
): Promise<FaultRunner> {
  const sandbox = startSandboxServer({ faults: true, host: '127.0.0.1', port: 0, pace: 2 })
  const proxy = await startProxy(sandbox.url, faults)
  // One accepts connections and never reads from them, one responds to a TLS handshake in plain text.
  const deaf = await listen(() => {})
  const plain = await listen((socket) => socket.once('data', () => socket.end(head(400, 0))).resume())
  const http2 = await startHttp2(proxy, faults)
  const cells = cellsOf(faults, size)
  const places: Locations = {
    proxy: proxy.origin,
    sandbox: sandbox.url,
    deaf: `http://${deaf.host}`,
    'not-tls': `https://${plain.host}`,
    refusing: 'http://127.0.0.1:1',
    unknown: 'http://nowhere.invalid',
    http2: http2.origins,
  }
  const config = configFor([...cells.values()].flat(), places)
  const gateway = await startGateway({ config, env: { NODE_EXTRA_CA_CERTS: AUTHORITY } })
  const parts = { gateway, proxy }
  // A warm-up, so that the memory that every process needs is not counted for a fault.
  for (let round = 0; round < 3; round++)
    await sendHonestRequests(parts, await newWallet(gateway, '10'), openFindings())
  return {
    run: (fault) => runFault(parts, fault, cells.get(fault) ?? [], openFindings(say)),
    async close() {
      const findings = openFindings(say)
      await checkAudit(gateway, findings, true)
      findings.must(proxy.followed() === 0, `${proxy.followed()} redirects were followed`)
      // None of this is an error of the gateway.
      const errors = gateway.output().stderr.match(/^.*"level":"error".*$/gm) ?? []
      findings.must(errors.length === 0, () => `${errors.length} errors in the log: ${errors[0]}`)
      await gateway.stop()
      for (const server of [proxy, http2, deaf, plain]) server.stop()
      await sandbox.stop()
      return findings
    },
  }
}

async function runFault(parts: Parts, fault: Fault, cells: readonly Cell[], findings: Findings): Promise<Outcome> {
  const { gateway, proxy } = parts
  const wallet = await newWallet(gateway, '10')
  const seen = new Map<Cell, CellResult>()
  const call = async (cell: Cell) => {
    const access = { url: gateway.url, secret: wallet.secrets[0] ?? '', onHeaders: () => proxy.deliver(cell.id) }
    seen.set(cell, await sendRequest(cell, limitOf(fault), access))
  }
  let growth = 0
  for (const together of fault.heavy ? cells.map((cell) => [cell]) : [cells]) {
    const memory = watchMemory(gateway.pid)
    await Promise.all(together.map(call))
    const grown = memory.growth()
    const which = together.map(nameOf).at(-1)
    findings.must(grown <= MOST_GROWTH, `${which}: ${megabytes(grown)} of memory`)
    growth = Math.max(growth, grown)
  }
  const honest = await sendHonestRequests(parts, wallet, findings)
  // A faulty response may look complete without usage; its ledger entry is checked below.
  const rows = await compareWallet(gateway, { wallet, seen: [...honest, ...[...seen.values()].map(unread)] }, findings)
  const byId = new Map(rows.map((row) => [row.request_id, row]))
  for (const [cell, called] of seen) {
    const wrong = judge(cell, called, byId.get(called.requestId ?? ''), proxy.reported.get(cell.id))
    for (const each of wrong) findings.add(`${nameOf(cell)}: ${each}`)
  }
  const calls = seen.size + honest.length
  findings.must(rows.length === calls, `${fault.name}: ${rows.length} rows for ${calls} calls`)
  // Other faults may be running: only the wallet of this one must have no hold.
  await checkAudit(gateway, findings, false)
  return { calls: seen.size, growth, findings }
}

const unread = (called: CellResult): CellResult => ({ ...called, status: undefined })

/** Sends requests in every dialect over the same origin, which must not be affected by the fault. */
async function sendHonestRequests(
  { gateway, proxy }: Parts,
  wallet: Wallet,
  findings: Findings,
): Promise<CellResult[]> {
  const all = TEXT_DIALECT_IDS.flatMap((client) => [true, false].map((streamed) => ({ client, streamed })))
  const next = async ({ client, streamed }: Pick<Cell, 'client' | 'streamed'>) => {
    const id = `honest-${client}`
    const access = { url: gateway.url, secret: wallet.secrets[0] ?? '', onHeaders: () => proxy.deliver(id) }
    const called = await sendRequest({ id, client, streamed }, TIMEOUTS.long.idle + SLACK_MS, access)
    const got = () => `${called.status} ${called.brokeOff ?? called.text.slice(0, 200)}`
    findings.must(called.status === 200 && called.complete, () => `the next call, ${client}: ${got()}`)
    return called
  }
  return await Promise.all(all.map(next))
}

export const megabytes = (bytes: number): string => `${bytes < 0 ? '' : '+'}${(bytes / 1024 / 1024).toFixed(0)} MB`

/** The growth of a process's peak memory since this call, as Linux reports it. */
function watchMemory(pid: number): { growth(): number } {
  const figure = (name: string): number => {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1] ?? Number.NaN) * 1024
  }
  if (process.platform !== 'linux') return { growth: () => 0 }
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = figure('VmRSS')
  return { growth: () => figure('VmHWM') - before }
}

/** Connections come paused. */
async function listen(onConnection: (socket: Socket) => void): Promise<{ host: string; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { host: `127.0.0.1:${port}`, stop }
}
