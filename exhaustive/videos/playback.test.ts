import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SandboxServer, startSandboxServer } from '@trivium/sandbox/server.ts'
import { type Browser, startBrowser } from '../../test/support/browser.ts'
import { eventually } from '../../test/support/eventually.ts'
import { playIn } from '../../test/support/play-video.ts'

let browser: Browser
let sandbox: SandboxServer

beforeAll(async () => {
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await sandbox?.stop()
})

async function makeVideo(settings: object): Promise<string> {
  const url = `${sandbox.url}/api/v3/contents/generations/tasks`
  const headers = { authorization: 'Bearer any' }
  const content = [{ type: 'text', text: 'A lighthouse at night' }]
  const body = JSON.stringify({ model: 'sandbox-video', content, duration: 1, ...settings })
  const { id } = JSON.parse(await (await fetch(url, { method: 'POST', headers, body })).text())
  let task: { status?: string; content?: { video_url: string } } = {}
  await eventually(async () => {
    task = JSON.parse(await (await fetch(`${url}/${id}`, { headers })).text())
    return task.status === 'succeeded'
  })
  return task.content?.video_url ?? ''
}

test.each([
  ['480p', '16:9', 1, 320, 192],
  ['720p', '9:16', 2, 224, 384],
])('a video of the sandbox at %s and %s, of %i s, plays in a browser', async (resolution, ratio, duration, wide, high) => {
  const { positions, ...played } = await playIn(browser, await makeVideo({ resolution, ratio, duration }))
  expect(played).toEqual({ videoWidth: wide, videoHeight: high, duration, currentTime: duration })
  expect(new Set(positions).size).toBeGreaterThan(1)
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
})

test('a file that is no video is an error of the browser', async () => {
  await expect(playIn(browser, `${sandbox.url}/health`)).rejects.toThrow('code 4')
})
