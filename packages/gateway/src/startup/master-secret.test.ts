import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fingerprintOf } from '../access/secrets/fingerprint.ts'
import { readEnvironment } from '../server/environment.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { Storage } from '../storage/storage.ts'
import { beginRotation, endRotation, masterSecrets } from './master-secret.ts'

let folder = ''
let storage: Storage
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-secret-'))
  storage = await openSqlite(folder)
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = () => join(folder, 'secret')
const secret = (given?: string) =>
  masterSecrets(storage, readEnvironment({ TRIVIUM_DATA: folder, TRIVIUM_SECRET: given }).environment).then(
    ({ current }) => current,
  )
const mistake = (given?: string) =>
  secret(given).then(
    () => 'none',
    (error: Error) => error.message,
  )

test('is created once, readable by its owner only, and found again', async () => {
  const made = await secret()
  expect(made).toMatch(/^[0-9a-f]{64}$/)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(readFileSync(file(), 'utf8')).toBe(made)
  expect(await secret()).toBe(made)
  expect(await secret(made)).toBe(made)
})

test('from the environment is not stored, and must stay the same', async () => {
  expect(await secret('the first one that was given')).toBe('the first one that was given')
  expect(existsSync(file())).toBe(false)
  expect(await mistake('another one that was given')).toContain('TRIVIUM_SECRET does not match the secret')
  expect(await mistake()).toContain('is missing')
})

test('a start that crashed between any two steps is continued', async () => {
  // Before the store knew: what was begun does not count, not even half written.
  writeFileSync(`${file()}.new`, 'half')
  const made = await secret()
  // After the store knew, before the file had its name.
  renameSync(file(), `${file()}.new`)
  expect(await secret()).toBe(made)
  expect(readFileSync(file(), 'utf8')).toBe(made)
})

test('a used folder with another store does not get a new secret', async () => {
  writeFileSync(file(), 'f'.repeat(64))
  expect(await mistake()).toContain('is empty although the folder has been used before')
})

test('a rotation makes the next secret, keeps the old one beside it, and goes on after a crash at any point', async () => {
  const { environment } = readEnvironment({ TRIVIUM_DATA: folder })
  const first = await secret()
  const { current, accepted } = await beginRotation(storage, environment)
  expect(accepted).toEqual([current, first])
  // Killed before the end: the same two.
  expect(await beginRotation(storage, environment)).toEqual({ current, accepted })
  // Killed before the new one was in force.
  await storage.meta.set('secret_fingerprint', fingerprintOf(first))
  expect(await secret()).toBe(first)
  expect(await beginRotation(storage, environment)).toEqual({ current, accepted })
  await endRotation(storage, { current, accepted })
  expect(await secret()).toBe(current)
  // Killed between the two files.
  writeFileSync(`${file()}.old`, current)
  expect(await secret()).toBe(current)
  const again = await beginRotation(storage, environment)
  expect(again.accepted[1]).toBe(current)
  expect(again.current).not.toBe(current)
  rmSync(`${file()}.old`)
  expect(await secret()).toBe(again.current)
})
