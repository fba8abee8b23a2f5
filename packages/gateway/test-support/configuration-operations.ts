// biome-ignore-all lint/suspicious/noExplicitAny: the results of operations have many shapes
// Operations on a stored configuration, called as people do: for tests.
import { afterAll, beforeAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccountCipher } from '../src/access/secrets/account-cipher.ts'
import type { Assemble, ConfigFile, Stored } from '../src/operate/configuration/parts.ts'
import { OPERATIONS } from '../src/operate/index.ts'
import { type Actor, perform } from '../src/operate/operation.ts'
import { OperationRejected } from '../src/operate/rejections.ts'
import { assembleFile } from '../src/server/config.ts'
import { createLiveConfig, type LiveConfig } from '../src/server/live-config.ts'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.ts'
import type { GatewayRole, Storage } from '../src/storage/storage.ts'

export const FILE = `upstreams: [{ id: filed, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [a-key-of-the-file] }]
models: [{ id: written, routes: [{ upstream: filed, cost: { input: 1, output: 1 } }], price: { input: 2, output: 4 } }]
registration: { trial_credit: 3 }
`
export const ENV = { GEMINI_API_KEY: 'a-key-of-the-environment' }
export const KEY = 'a-planted-key-0123456789'
export const UPSTREAM = { id: 'main', dialect: 'chat', base_url: 'https://one.example.com/v1', keys: [KEY] }
export const MODEL = {
  id: 'gpt-x',
  routes: [{ upstream: 'main', cost: { input: '1', output: '2' } }],
  price: { input: '2', output: '8' },
}

export const cipher = createAccountCipher('a master secret')
const assembleHere = (file: ConfigFile | undefined, stored: Stored, options?: Parameters<Assemble>[2]) =>
  assembleFile(file, stored, ENV, options)
export const assemble: Assemble = async (file, stored, options) => assembleHere(file, stored, options)
export const logged: string[] = []
export const log = {
  info() {},
  warn: (text: string) => void logged.push(text),
  error: (text: string) => void logged.push(text),
}

let folder = ''
export let storage: Storage
export let live: LiveConfig

export const startWith = (text: string): LiveConfig => {
  const file = { path: '/etc/trivium.yaml', bytes: Buffer.from(text) }
  const stored = { revision: 0, entries: [] }
  const assembled = assembleHere(file, stored)
  if (!assembled.config) throw new Error(JSON.stringify(assembled.mistakes))
  return createLiveConfig({ file, stored, assembled }, assemble, storage, cipher, log)
}

/** For a file of tests. */
export function useFolder(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trivium-configuration-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
}
let serial = 0
export async function openStore(): Promise<void> {
  storage = await openSqlite(join(folder, String(serial++)))
  live = startWith(FILE)
}

export function liveWith(text: string): void {
  live = startWith(text)
}

export const as = (role: GatewayRole): Actor => ({
  type: 'person',
  id: 9n,
  role,
  address: '203.0.113.7',
  requestId: 5n,
})

export async function run(
  name: string,
  input: object = {},
  role: GatewayRole = 'admin',
  more: object = {},
): Promise<any> {
  const operation = OPERATIONS.get(name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  const shared = {
    storage,
    config: live.config(),
    configuration: live,
    listenUrl: '',
    accountCipher: async () => cipher,
  }
  return await perform(operation, { ...shared, actor: as(role), ...more }, input)
}

export async function rejection(name: string, input: object, role?: GatewayRole): Promise<string> {
  const error = await run(name, input, role).then(
    () => undefined,
    (error: unknown) => error,
  )
  return error instanceof OperationRejected ? `${error.rejection.reason}: ${error.message}` : String(error)
}

export async function withEntries(): Promise<void> {
  await run('upstream create', UPSTREAM)
  await run('model create', MODEL)
}
