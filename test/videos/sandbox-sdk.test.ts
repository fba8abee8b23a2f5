// The vendor's own SDK against the sandbox: what the sandbox answers must be what a real upstream answers.

import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GenerateVideosOperation, GoogleGenAI } from '@google/genai'
import { startSandboxServer } from '@trivium/sandbox/server.ts'
import { eventually } from '../support/eventually.ts'

const sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true })
afterAll(() => sandbox.stop())
const ai = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: sandbox.url } })

async function finished(model: string): Promise<GenerateVideosOperation> {
  let operation = await ai.models.generateVideos({
    model,
    source: { prompt: 'A lighthouse at night', image: { imageBytes: 'AAAA', mimeType: 'image/png' } },
    config: { durationSeconds: 1, aspectRatio: '9:16', resolution: '720p', numberOfVideos: 1 },
  })
  expect(operation.done).toBeFalsy()
  await eventually(async () => {
    operation = await ai.operations.getVideosOperation({ operation })
    return operation.done === true
  })
  return operation
}

test('a video is made and downloaded', async () => {
  const { response } = await finished('sandbox-video')
  const [video] = response?.generatedVideos ?? []
  const uri = video?.video?.uri ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'trivium-test-'))
  try {
    const downloadPath = join(folder, 'video.mp4')
    // The SDK looks for the name of a file in https URLs only.
    await ai.files.download({ file: { video: { uri: uri.replace('http:', 'https:') } }, downloadPath })
    expect((await readFile(downloadPath)).subarray(4, 8).toString()).toBe('ftyp')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a failed and a filtered video', async () => {
  const [failed, filtered] = await Promise.all([finished('sandbox-video:fails'), finished('sandbox-video:moderation')])
  expect(failed).toMatchObject({ error: { code: 13, message: expect.any(String) } })
  expect(filtered.response).toMatchObject({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: [expect.any(String)] })
})

test('an unknown operation', async () => {
  const operation = { name: 'models/sandbox-video/operations/cgt-1' } as GenerateVideosOperation
  await expect(ai.operations.getVideosOperation({ operation })).rejects.toMatchObject({ status: 404 })
})
