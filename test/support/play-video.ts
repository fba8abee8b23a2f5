// Plays a video in a browser, as a page with a <video> element does.

import type { Browser } from './browser.ts'

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

export type Played = {
  videoWidth: number
  videoHeight: number
  duration: number
  currentTime: number
  positions: number[]
}

/** To the end. Throws where the browser reports an error. */
export async function playIn(browser: Browser, url: string): Promise<Played> {
  const html = { headers: { 'content-type': 'text/html' } }
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<video muted></video>', html) })
  const page = await browser.newPage()
  try {
    await page.goto(server.url.href)
    return await page.evaluate<Played>(`(${PLAY})(${JSON.stringify(url)})`)
  } finally {
    await page.close()
    await server.stop(true)
  }
}
