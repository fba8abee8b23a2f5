// The sandbox's videos through the gateway, embedded and as a server, in both dialects that make videos.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startSandboxServer } from '@trivium/sandbox/server.ts'
import { type Browser, startBrowser } from '../../test/support/browser.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { playIn } from '../../test/support/play-video.ts'

const sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true })
const served = (id: string, dialect: string, path: string) =>
  `{ id: ${id}, dialect: ${dialect}, base_url: "${sandbox.url}${path}", keys: [any], allow_private: true }`
const model = (id: string) =>
  `{ id: over-${id}, type: video, routes: [{ upstream: ${id}, model: sandbox-video }], price: { per_second: 0.05 } }`
const CONFIG = `
sandbox: true
upstreams:
  - { id: embedded, kind: sandbox, dialect: generate-content }
  - ${served('tasks', 'video-tasks', '/api/v3')}
  - ${served('operations', 'generate-content', '/v1beta')}
models: [${['embedded', 'tasks', 'operations'].map(model).join(', ')}]
`

let gateway: Gateway
let key: string
let browser: Browser
beforeAll(async () => {
  gateway = await startGateway({ config: CONFIG })
  key = (await newKey(gateway, '10')).secret
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
  await sandbox.stop()
})

type Record = { id: string; status: string; content?: { video_url: string }; error?: unknown }

const tasksUrl = () => `${gateway.url}/api/v3/contents/generations/tasks`
const headersOf = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

async function submit(model: string): Promise<string> {
  const settings = { duration: 1, resolution: '480p', ratio: '9:16' }
  const body = JSON.stringify({ model, content: [{ type: 'text', text: 'A lighthouse' }], ...settings })
  return JSON.parse(await (await fetch(tasksUrl(), { method: 'POST', headers: headersOf(), body })).text()).id
}

async function ended(id: string): Promise<Record> {
  let task: Record = { id, status: '' }
  await eventually(async () => {
    task = JSON.parse(await (await fetch(`${tasksUrl()}/${id}`, { headers: headersOf() })).text())
    return task.status !== 'queued' && task.status !== 'running'
  })
  return task
}

test.each([
  'sandbox-video',
  'over-embedded',
  'over-tasks',
  'over-operations',
])('a video of %s is made, served in ranges, and plays in a browser', async (name) => {
  const id = await submit(name)
  const task = await ended(id)
  expect(task).toMatchObject({ id, status: 'succeeded' })
  const url = task.content?.video_url ?? ''
  expect(url).toStartWith(gateway.url)
  const part = await fetch(url, { headers: { range: 'bytes=4-7' } })
  expect([part.status, await part.text()]).toEqual([206, 'ftyp'])
  expect((await fetch(url.replace(/sig=(.)/, (_, old) => `sig=${old === 'A' ? 'B' : 'A'}`))).status).toBe(403)
  const { positions, ...played } = await playIn(browser, url)
  expect(played).toEqual({ videoWidth: 192, videoHeight: 320, duration: 1, currentTime: 1 })
  expect(new Set(positions).size).toBeGreaterThan(1)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

test('tasks of the embedded sandbox end after kill -9 of the process that it was part of', async () => {
  const ids = await Promise.all(['sandbox-video', 'over-embedded'].map(submit))
  await gateway.kill()
  gateway = await startGateway({ home: gateway.home })
  for (const id of ids) expect(await ended(id)).toMatchObject({ id, status: 'succeeded' })
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
