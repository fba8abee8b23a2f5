import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SandboxServer, startSandboxServer } from '@trivium/sandbox/server.ts'
import { type Browser, startBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'

let browser: Browser
let sandbox: SandboxServer
let page: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
  const html = { headers: { 'content-type': 'text/html' } }
  page = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<video muted></video>', html) })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([sandbox?.stop(), page?.stop(true)])
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

/** Runs in the page. The video is played to its end; the positions are those of the frames that were shown. */
const PLAY = `async (url) => {
  const video = document.querySelector('video')
  const positions = []
  const onFrame = (_, { mediaTime }) => {
    positions.push(mediaTime)
    video.requestVideoFrameCallback(onFrame)
  }
  video.requestVideoFrameCallback(onFrame)
  const ended = new Promise((resolve, reject) => {
    video.onended = resolve
    video.onerror = () => reject(new Error('code ' + video.error.code + ': ' + video.error.message))
  })
  video.src = url
  await Promise.all([video.play(), ended])
  const { videoWidth, videoHeight, duration, currentTime } = video
  return { videoWidth, videoHeight, duration, currentTime, positions }
}`

type Played = {
  videoWidth: number
  videoHeight: number
  duration: number
  currentTime: number
  positions: number[]
}

async function play(url: string): Promise<Played> {
  const tab = await browser.newPage()
  try {
    await tab.goto(page.url.href)
    return await tab.evaluate<Played>(`(${PLAY})(${JSON.stringify(url)})`)
  } finally {
    await tab.close()
  }
}

test.each([
  ['480p', '16:9', 1, 320, 192],
  ['720p', '9:16', 2, 224, 384],
])('a video of the sandbox at %s and %s, of %i s, plays in a browser', async (resolution, ratio, duration, wide, high) => {
  const { positions, ...played } = await play(await makeVideo({ resolution, ratio, duration }))
  expect(played).toEqual({ videoWidth: wide, videoHeight: high, duration, currentTime: duration })
  expect(new Set(positions).size).toBeGreaterThan(1)
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
})

test('a file that is no video is an error of the browser', async () => {
  await expect(play(`${sandbox.url}/health`)).rejects.toThrow('code 4')
})
