// A contents.db that is damaged, removed or older than the ledger: the gateway starts, says what is lost, and holds nothing for it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import type { Home } from '../../test/support/gateway/home.ts'
import { configForVideos, QUICK } from '../../test/support/gateway/video-gateway.ts'
import { ask } from '../../test/support/postgres/schemas.ts'
import { videoClient } from '../../test/support/requests/videos.ts'
import { type ScriptedVideo, startScriptedVideo } from '../../test/support/upstreams/scripted-video.ts'

let upstream: ScriptedVideo
let template: Home
let account: Awaited<ReturnType<typeof newKey>>
let task: string
let config: string

/** A video that its upstream never finishes; then the gateway is killed. */
async function withOpenTask(gateway: Gateway) {
  const made = await newKey(gateway, '10')
  const client = videoClient(gateway, made.secret)
  const id = await client.submit()
  await client.until(id, 'running')
  expect((await made.account()).held_usd).not.toBe('0.00')
  return { made, id }
}

beforeAll(async () => {
  upstream = await startScriptedVideo()
  upstream.script.states = ['running']
  config = configForVideos(upstream, upstream)
  const gateway = await startGateway({ config, taskTiming: QUICK })
  ;({ made: account, id: task } = await withOpenTask(gateway))
  // Some pages, all of them in the file and not in its log.
  const client = videoClient(gateway, account.secret)
  for (let count = 0; count < 30; count++) await client.submit()
  // As Ctrl-C does: nobody waits for load balancers.
  gateway.signal('SIGINT')
  await gateway.exited
  template = gateway.home
})
afterAll(() => {
  upstream.stop()
  rmSync(template.dataDir, { recursive: true, force: true })
})

function overwrite(file: string, at: number, bytes: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, crypto.getRandomValues(new Uint8Array(bytes)), 0, bytes, at)
}

const damages: { name: string; damage(file: string): void; isMoved: boolean }[] = [
  { name: 'with a damaged header', damage: (file) => overwrite(file, 0, 100), isMoved: true },
  { name: 'with damaged pages', damage: (file) => overwrite(file, 4_096, statSync(file).size - 4_096), isMoved: true },
  { name: 'cut off', damage: (file) => truncateSync(file, 3 * 4_096 + 1_000), isMoved: true },
  { name: 'removed', damage: (file) => rmSync(file), isMoved: false },
  { name: 'emptied', damage: (file) => truncateSync(file, 0), isMoved: false },
]

test.each(
  damages.map((each) => [each.name, each] as const),
)('contents.db %s: the gateway starts, its holds are voided, and tasks are stored again', async (_, {
  damage,
  isMoved,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trivium-lost-'))
  cpSync(template.dataDir, dataDir, { recursive: true })
  const home: Home = { ...template, dataDir, configFile: template.configFile.replace(template.dataDir, dataDir) }
  damage(join(dataDir, 'contents.db'))
  const gateway = await startGateway({ home, taskTiming: QUICK })
  try {
    const { stderr } = gateway.output()
    const moved = readdirSync(dataDir).filter((name) => /^contents\.db\.damaged-\d{8}T\d{6}Z$/.test(name))
    expect(moved).toHaveLength(isMoved ? 1 : 0)
    if (isMoved) {
      expect(stderr).toContain(join(dataDir, moved[0] ?? ''))
      expect(stderr).toMatch(/"level":"error".*moved aside.*video tasks.*stored responses/)
    }
    expect(stderr).toContain('"message":"a video task does not exist any more; its hold is voided"')
    expect(await gateway.command('account', 'show', '--account', account.email)).toMatchObject({ held_usd: '0.00' })
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0, lost_task_holds: [] })
    const client = videoClient(gateway, account.secret)
    expect((await client.show(task)).status).toBe(404)
    const [row] = await gateway.command<{ outcome: string }[]>('usage', '--account', account.email)
    expect(row?.outcome).toBe('failed')
    expect((await client.show(await client.submit())).status).toBe(200)
  } finally {
    await gateway.stop()
  }
})

test('PostgreSQL: tasks restored from before are named by the audit, and their holds are voided at the start', async () => {
  const first = await startGateway({ engine: 'postgres', config, taskTiming: QUICK })
  const { made } = await withOpenTask(first)
  await ask(first.home.databaseUrl ?? '', 'DELETE FROM task')
  expect(await audit(first)).toMatchObject({ ok: false, lost_task_holds: [expect.stringMatching(/^req_/)] })
  await first.kill()
  const second = await startGateway({ home: first.home, taskTiming: QUICK })
  expect((await made.account()).held_usd).toBe('0.00')
  expect(await audit(second)).toMatchObject({ ok: true, open_holds: 0, lost_task_holds: [] })
  await second.stop()
})

test('the page about backups has every file of the data folder', () => {
  const page = readFileSync(join(import.meta.dir, '../../docs/operate/backup.md'), 'utf8')
  const isOwn = (name: string) => name !== 'trivium.yaml' && !name.startsWith('control.')
  for (const name of readdirSync(template.dataDir).filter(isOwn))
    expect(page).toMatch(new RegExp(`\\| .*\`${name}/?\``))
})
