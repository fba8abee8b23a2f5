// A real MySQL or MariaDB for the tests of what is read from one, if the machine has its server. No suite needs it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'

export const mysqlProgram = (): string | undefined => Bun.which('mariadbd') ?? Bun.which('mysqld') ?? undefined

export type MysqlServer = { url(database: string): string; stop(): Promise<void> }

export async function startMysql(program: string): Promise<MysqlServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mysql-'))
  const port = await freePort()
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', ...asRoot, `--datadir=${folder}/data`]
  const isMaria = program.includes('maria')
  spawnSync(isMaria ? 'mkdir' : program, isMaria ? [`${folder}/data`] : [...common, '--initialize-insecure'])
  // MariaDB starts without its tables of users, if nobody is asked for a password.
  const users = isMaria ? ['--skip-grant-tables'] : ['--mysqlx=OFF']
  const args = [...common, ...users, '--bind-address=127.0.0.1', `--port=${port}`, `--socket=${folder}/socket`]
  const server = spawn(program, args, { stdio: 'ignore' })
  const url = (database: string) => `mysql://root@127.0.0.1:${port}/${database}`
  await answering(url('information_schema'), server)
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the MySQL server ended with ${server.exitCode}`)
    const sql = new SQL(url, { max: 1 })
    try {
      await sql.unsafe('SELECT 1')
      return
    } catch {
      await Bun.sleep(50)
    } finally {
      await sql.close()
    }
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
