// A rejected sign-in does not tell whether the account exists, not even by its time: each compares one hash of the same cost.
import { afterAll, afterEach, expect, spyOn, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { newDataFolder } from '../../../../../test/support/data-folder.ts'
import { hashCheaply } from '../../../../../test/support/gateway/program/cheap-passwords.ts'
import { testHeaders, testRequest } from '../../../../http/test-support/serve.ts'
import { createFailedCredentials } from '../../http-api/failed-credentials.ts'
import { createMetrics } from '../../observe/metrics/names.ts'
import { hashPassword } from '../../storage/password.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import type { SignIn } from '../../storage/storage.ts'
import type { Call } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { createPasswords } from './passwords.ts'
import { signIn } from './sign-in.ts'

hashCheaply()
const folder = newDataFolder('trivium-sign-in-')
const storage = await openSqlite(folder)
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const password = await hashPassword('the right password')
const person = (more: Partial<SignIn>) => ({ person: 3n, password, disabled: false, ...more }) as SignIn
const PEOPLE: Record<string, SignIn> = {
  known: person({}),
  disabled: person({ disabled: true }),
  'without a password': person({ password: undefined }),
}

const compared = spyOn(Bun.password, 'verify')
afterEach(() => void compared.mockClear())
afterAll(() => compared.mockRestore())

/** Algorithm, version, memory and passes. */
const costOf = (hash: string) => hash.split('$').slice(0, 4).join('$')

test.each(['known', 'disabled', 'without a password', 'unknown'])('%s', async (email) => {
  const signIns = Object.assign(Object.create(storage.signIns), { find: async (name: string) => PEOPLE[name] })
  const deps = {
    store: { signIns },
    passwords: createPasswords({ after: () => () => {}, clock: () => 0 }),
    admit: () => ({ release() {} }),
    config: () => ({ server: { tls: undefined, publicUrl: undefined } }),
    clock: () => 0,
    metrics: createMetrics(),
    failedCredentials: createFailedCredentials(storage.auditLog, () => 0, { error() {} }),
  } as never as ConsoleDependencies
  const call = {
    body: { email, password: 'a wrong password' },
    http: testRequest('/console/api/sign-in', {}),
    headers: testHeaders(),
    incoming: { id: 5n },
    origin: { address: '198.51.100.1', network: '198.51.100.1', wideNetwork: '198.51.100' },
  } as never as Call<unknown>
  expect(await signIn.respond(call, deps).catch(({ error }) => error.code)).toBe('wrong_credentials')
  expect(compared.mock.calls.map(([, hash]) => costOf(String(hash)))).toEqual([costOf(password)])
})
