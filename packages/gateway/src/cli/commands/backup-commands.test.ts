// Wrong command lines of backup, restore and migrate: exit code 2, one line, and nothing is written.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runHere } from '../../../test-support/run-command.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trivium-cli-'))
  await createDatabase(dataDir)
})
afterAll(() => rmSync(dataDir, { recursive: true }))

const NEW = join(tmpdir(), `trivium-no-such-file-${process.pid}`)
const mistakes: { args: string[]; says: string; code?: number }[] = [
  { args: ['backup'], says: "'backup' requires FILE: the archive to write" },
  { args: ['backup', '/nonexistent/x/file', '--without-secret'], says: 'the folder /nonexistent/x does not exist' },
  { args: ['backup', '/dev/null', '--without-secret'], says: '/dev/null exists already' },
  { args: ['backup', NEW], says: 'give a passphrase' },
  { args: ['backup', NEW, '--passphrase-file', '/dev/null'], says: 'at least 8 characters' },
  { args: ['backup', NEW, '--passphrase-file', '/no/such'], says: 'cannot read /no/such: no such file' },
  { args: ['backup', NEW, '--without-secret', '--passphrase-stdin'], says: 'use one of --passphrase-file, --pass' },
  {
    args: ['backup', NEW, '--passphrase-file', import.meta.path],
    says: 'secret does not exist: set TRIVIUM_SECRET',
    code: 1,
  },
  { args: ['restore'], says: "'restore' requires FILE: an archive" },
  { args: ['restore', NEW], says: `${NEW} does not exist` },
  { args: ['restore', '/dev/null'], says: 'is not empty (ledger.db)', code: 1 },
  { args: ['migrate'], says: 'name the PostgreSQL database' },
  { args: ['migrate', '--to', 'mysql://user:password@x'], says: '--to must be a URL that begins with postgres://' },
  { args: ['migrate', '--to', 'postgres://x', '--to-file', 'y'], says: 'use either --to or --to-file' },
  { args: ['migrate', '--to-file', '/no/such'], says: 'cannot read /no/such' },
  {
    args: ['migrate', '--to', 'postgres://user:password@127.0.0.1:1/x'],
    says: 'the move failed: cannot use the database 127.0.0.1:1/x: ',
    code: 1,
  },
]
test.each(mistakes)('$args', async ({ args, says, code = 2 }) => {
  const ended = await runHere([...args, '--json'], dataDir)
  const { message, exit_code } = JSON.parse(ended.stderr).error
  expect(message).toContain(says)
  expect(message).not.toMatch(/password@|\n/)
  expect([ended.code, exit_code, ended.stdout]).toEqual([code, code, ''])
  expect(existsSync(NEW)).toBe(false)
})

test('media that are in S3 by the stored configuration are listed, not copied', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-cli-'))
  await createDatabase(folder)
  const place = async (name: string) => {
    const { stdout } = await runHere(['backup', join(folder, name), '--without-secret', '--json'], folder)
    return JSON.parse(stdout).media.place
  }
  expect(await place('before.tar')).toBe('archive')
  const file = join(folder, 's3.yaml')
  const s3 = '{ endpoint: "https://s3.example.com", bucket: pictures, region: auto, access_key: k, secret_key: s }'
  writeFileSync(file, `media: { s3: ${s3} }\n`)
  expect(await runHere(['config', 'import', file], folder)).toMatchObject({ code: 0 })
  expect(await place('after.tar')).toBe('s3')
  rmSync(folder, { recursive: true })
})
