// The signed URL of a finished video: in a page of another origin, opened directly, in parts, altered and expired.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, startBrowser } from '../../test/support/browser.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'

let gateway: Gateway
let browser: Browser
let url: string
const page = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response('<video muted></video>', { headers: { 'content-type': 'text/html' } }),
})

beforeAll(async () => {
  gateway = await startGateway({})
  url = (await makeVideo(gateway)).url
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
  await page.stop(true)
})

type Task = { status?: string; content?: { video_url: string } }

async function makeVideo(at: Gateway): Promise<{ url: string; task(): Promise<Task> }> {
  const { secret } = await newKey(at)
  const tasks = `${at.url}/api/v3/contents/generations/tasks`
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const content = [{ type: 'text', text: 'A lighthouse at night' }]
  const body = JSON.stringify({ model: 'sandbox-video', content, duration: 3 })
  const { id } = (await (await fetch(tasks, { method: 'POST', headers, body })).json()) as { id: string }
  const task = async () => (await (await fetch(`${tasks}/${id}`, { headers })).json()) as Task
  let url: string | undefined
  await eventually(async () => {
    url = (await task()).content?.video_url
    return url !== undefined
  })
  return { url: url ?? '', task }
}

/** Runs in the page. Seeks, and resolves with the position of the frame that is shown then. */
const SEEK = `async (to) => {
  const video = document.querySelector('video')
  const ready = new Promise((resolve, reject) => {
    video.onseeked = resolve
    video.onerror = () => reject(new Error('code ' + video.error.code + ': ' + video.error.message))
  })
  video.currentTime = to
  await ready
  return { at: video.currentTime, readyState: video.readyState }
}`

test('seeks in a page of another origin', async () => {
  const tab = await browser.newPage()
  try {
    await tab.goto(page.url.href)
    const load = `new Promise((resolve, reject) => {
      const video = document.querySelector('video')
      video.oncanplay = () => resolve(video.duration)
      video.onerror = () => reject(new Error(video.error.message))
      video.src = ${JSON.stringify(url)}
    })`
    expect(await tab.evaluate<number>(load)).toBe(3)
    for (const to of [2.5, 0.5, 1.5]) {
      const { at, readyState } = await tab.evaluate<{ at: number; readyState: number }>(`(${SEEK})(${to})`)
      expect([at, readyState >= 2]).toEqual([to, true])
    }
  } finally {
    await tab.close()
  }
})

test('plays when it is opened directly', async () => {
  const tab = await browser.newPage()
  try {
    await tab.goto(url)
    // The document is sandboxed, so no script runs in it; what it shows is asked from outside.
    const video = tab.locator('video')
    await video.waitFor({ timeout: 5_000 })
    const played = async () =>
      video.evaluate((element) => {
        const { duration, currentTime, videoWidth, error } = element as unknown as Record<string, unknown>
        return { duration, currentTime, videoWidth, error }
      })
    await eventually(async () => (await played()).duration === 3)
    // A sandboxed document does not play by itself: its viewer presses the button.
    await video.evaluate((element) => (element as unknown as { play(): Promise<void> }).play())
    await eventually(async () => ((await played()).currentTime as number) > 0)
    expect(await played()).toMatchObject({ duration: 3, videoWidth: 320, error: null })
  } finally {
    await tab.close()
  }
})

test('curl reads a part of it', async () => {
  const curl = Bun.spawn(['curl', '-s', '-D', '-', '-r', '4-7', url], { stdout: 'pipe' })
  const [head = '', body] = (await curl.stdout.text()).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 206/)
  expect(head).toMatch(/content-range: bytes 4-7\/\d+/)
  expect(head).toMatch(/content-type: video\/mp4/)
  expect(body).toBe('ftyp')
})

const altered = (name: string, change: (value: string) => string): string => {
  const changed = new URL(url)
  changed.searchParams.set(name, change(changed.searchParams.get(name) ?? ''))
  return changed.href
}
test.each([
  ['a later exp', () => altered('exp', (exp) => String(Number(exp) + 60))],
  ['a past exp', () => altered('exp', () => '1000000000')],
  ['an exp that is no number', () => altered('exp', () => 'never')],
  ['another sig', () => altered('sig', (sig) => sig.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')))],
  ['an empty sig', () => altered('sig', () => '')],
  ['no query', () => url.split('?', 1)[0] ?? ''],
  [
    'another object',
    () => url.replace(/\/media\/./, (start) => start.slice(0, -1) + (start.endsWith('0') ? '1' : '0')),
  ],
])('%s: 403, for parts too', async (_, changed) => {
  for (const headers of [{}, { range: 'bytes=0-3' }] as Record<string, string>[])
    expect((await fetch(changed(), { headers })).status).toBe(403)
})

test('expired: 403, and the task has succeeded all the same, without a URL', async () => {
  const other = await startGateway({ config: 'retention: { media: 6s }' })
  try {
    const made = await makeVideo(other)
    expect((await fetch(made.url)).status).toBe(200)
    await eventually(async () => (await fetch(made.url)).status === 403)
    const { status, content } = await made.task()
    expect([status, content]).toEqual(['succeeded', undefined])
  } finally {
    await other.stop()
  }
})
