import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { loadFile } from '../server/config.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { Storage } from '../storage/storage.ts'
import { callServer, isServerRunning, openControlSocket } from './control-socket.ts'
import { CommandError } from './errors.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-control-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const config = () => {
  const loaded = loadFile(undefined, {})
  if (!loaded.config) throw new Error('the defaults are wrong')
  return loaded.config
}
const accountCipher = async () => createAccountCipher('a secret of a test')
const SHOW = ['account show', { account: 'ada@example.com' }] as const

const mistakeOf = (operation: string, values: object): Promise<string> =>
  callServer(folder, operation, values).then(() => 'none', String)

async function served(dataDir: string, work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openSqlite(dataDir)
  await storage.accounts.create('ada@example.com', 5_000_000_000n, -2n)
  const control = openControlSocket(dataDir, () => ({ storage, config: config(), listenUrl: '', accountCipher }))
  try {
    await work(storage)
  } finally {
    await control.stop()
    await storage.close()
  }
}

describe('a command beside a server', () => {
  test('runs in the server, and its errors are returned unchanged', async () => {
    await served(folder, async () => {
      expect(await isServerRunning(folder)).toBe(true)
      expect(await callServer(folder, ...SHOW)).toMatchObject({ result: { balance_usd: '5.00' } })
      expect(await mistakeOf('account show', { account: 'nobody@example.com' })).toContain(
        'No account has the email address',
      )
      expect(await mistakeOf('account explode', {})).toContain('it may be an older version')
    })
    expect(await isServerRunning(folder)).toBe(false)
    expect(await callServer(folder, ...SHOW)).toBeUndefined()
    expect(existsSync(join(folder, 'control.sock'))).toBe(false)
  })

  test('works in a folder whose path is too long for a socket, through a private folder', async () => {
    const deep = join(folder, 'x'.repeat(120))
    mkdirSync(deep)
    let socket = ''
    await served(deep, async () => {
      expect(await callServer(deep, ...SHOW)).toMatchObject({ result: { email: 'ada@example.com' } })
      socket = (await Bun.file(join(deep, 'control.json')).json()).socket
      expect(statSync(dirname(socket)).mode & 0o077).toBe(0)
    })
    expect(existsSync(dirname(socket))).toBe(false)
  })

  test('that is running when the server stops still gets its result', async () => {
    const storage = await openSqlite(folder)
    await storage.accounts.create('ada@example.com', 5_000_000_000n, -2n)
    const asked = Promise.withResolvers<void>()
    const find = async (email: string) => {
      asked.resolve()
      await Bun.sleep(200)
      return storage.people.find(email)
    }
    const slow: Storage = { ...storage, people: { ...storage.people, find } }
    const control = openControlSocket(folder, () => ({
      storage: slow,
      config: config(),
      listenUrl: '',
      accountCipher,
    }))
    const answer = callServer(folder, ...SHOW)
    await asked.promise
    await control.stop()
    expect(await answer).toMatchObject({ result: { balance_usd: '5.00' } })
    await storage.close()
  })
})

describe('the files of a stopped server', () => {
  const point = (socket: string) => writeFileSync(join(folder, 'control.json'), JSON.stringify({ socket, pid: 1 }))

  test.each([
    { what: 'no file', leave: () => {} },
    { what: 'half a file', leave: () => writeFileSync(join(folder, 'control.json'), '{"soc') },
    { what: 'no socket', leave: () => point(join(folder, 'none.sock')) },
    {
      what: 'a socket without a listener',
      leave: () => {
        point(join(folder, 'dead.sock'))
        const script = `Bun.serve({ unix: ${JSON.stringify(join(folder, 'dead.sock'))}, fetch: () => new Response() }); process.kill(process.pid, 'SIGKILL')`
        Bun.spawnSync([process.execPath, '-e', script])
        expect(existsSync(join(folder, 'dead.sock'))).toBe(true)
      },
    },
  ])('count as no server: $what', async ({ leave }) => {
    leave()
    expect(await callServer(folder, ...SHOW)).toBeUndefined()
    expect(await isServerRunning(folder)).toBe(false)
  })
})

test('a command without a result is not repeated automatically', async () => {
  const socket = join(folder, 'cut.sock')
  writeFileSync(join(folder, 'control.json'), JSON.stringify({ socket, pid: 1 }))
  let asked = 0
  const server = Bun.listen({
    unix: socket,
    socket: {
      data(connection) {
        asked += 1
        connection.end()
      },
    },
  })
  const error = await callServer(folder, 'account credit', { amount: '5' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CommandError)
  expect(String(error)).toContain('check whether the command took effect')
  expect(asked).toBe(1)
  server.stop(true)
})
