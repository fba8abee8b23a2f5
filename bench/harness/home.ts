// A gateway's folder as a bench needs it: configured for the fixed upstream, with an account that can pay for all of it
// and as many keys as wanted, written straight into the database while no server runs.
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NANOS_PER_USD } from '../../packages/gateway/src/money/amount.ts'
import { CREDIT } from '../../packages/gateway/src/money/ledger.ts'
import { openSqlite, SQLITE_FILE } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { UpstreamServer } from './server.ts'

export const MAIN = join(import.meta.dir, '../../packages/gateway/src/main.ts')

export type GatewayHome = {
  /** The folder of the configuration file; the data are in a folder of their own inside. */
  folder: string
  /** The secrets of the active keys. */
  keys: readonly string[]
  remove(): void
}

const ACTIVE_KEYS = 100
const EMAIL = 'bench@example.com'

type UpstreamAddress = Pick<UpstreamServer, 'url' | 'protocol'>

/** `upstreamPath`: what the one model, `bench`, gets from the upstream. `idleKeys`: stored beside the active ones. */
export async function createHome(
  upstream: UpstreamAddress,
  upstreamPath: string,
  idleKeys = 10,
  model?: string,
): Promise<GatewayHome> {
  return await createHomeWith(configFor(upstream, upstreamPath, model), idleKeys)
}

/** `yaml`: the configuration file. */
export async function createHomeWith(yaml: string, idleKeys = 10): Promise<GatewayHome> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'))
  writeFileSync(join(folder, 'trivium.yaml'), yaml)
  const home = { folder, keys: [], remove: () => rmSync(folder, { recursive: true, force: true }) }
  const storage = await openSqlite(join(folder, 'data'))
  await storage.accounts.create(EMAIL, 1_000_000n * NANOS_PER_USD, CREDIT)
  await storage.close()
  return { ...home, keys: insertKeys(join(folder, 'data', SQLITE_FILE), idleKeys) }
}

export function gatewayEnvironment(home: Pick<GatewayHome, 'folder'>, port: number): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOST: '127.0.0.1',
    PORT: String(port),
    TRIVIUM_DATA: join(home.folder, 'data'),
    TRIVIUM_CONFIG: join(home.folder, 'trivium.yaml'),
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65000',
    MIMALLOC_PURGE_HOLES: '0',
  }
}

const TEXT = 'price: { input: 2.00, output: 8.00 }, limits: { max_output: 10000000 }'
export const VECTORS = 'type: embedding, price: { input: 0.02 }'

/** `model`: what the model is besides its route. */
export const configFor = ({ url, protocol }: UpstreamAddress, upstreamPath: string, model = TEXT): string => `
sandbox: false
upstreams:
  - { id: fixed, dialect: chat, base_url: "${url}${upstreamPath}", keys: ["none"]${protocol === 'https/1.1' ? ', http: 1.1' : ''} }
models:
  - { id: bench, routes: [{ upstream: fixed }], ${model} }
`

/** The active keys stand evenly among the idle ones, as they would in a store that has grown. */
function insertKeys(file: string, idleKeys: number): string[] {
  const db = new Database(file, { readwrite: true, safeIntegers: true, strict: true })
  const insert = db.prepare(
    'INSERT INTO api_key (account, hash, name, group_name, created_at) SELECT id, ?, ?, ?, ? FROM account WHERE name = ?',
  )
  const active: string[] = []
  const total = ACTIVE_KEYS + idleKeys
  db.transaction(() => {
    for (let index = 0; index < total; index++) {
      const secret = `sk-bench-${'0'.repeat(24)}${index}`
      if (Math.floor((index * ACTIVE_KEYS) / total) === active.length) active.push(secret)
      const hash = new Bun.CryptoHasher('sha256').update(secret).digest()
      insert.run(hash, `key ${index}`, 'default', 1_767_225_600_000n, EMAIL)
    }
  }).immediate()
  db.close()
  return active
}
