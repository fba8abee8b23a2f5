// The clouds for a file of tests, with a clock that stands still, a folder for files, and sources that reach them.
import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CloudVariable } from '@trivium/gateway/config/settings/cloud-variables.ts'
import { type Expiring, type Source, SourceFailed } from '@trivium/gateway/upstreams/credentials/credential.ts'
import type { FetchOptions } from '@trivium/gateway/upstreams/credentials/sources/fetch-credential.ts'
import { createSourceTools, type SourceTools } from '@trivium/gateway/upstreams/credentials/sources/tools.ts'
import { type Clouds, startClouds } from './clouds.ts'

export type Variables = Partial<Record<CloudVariable, string>>

export function useClouds() {
  const clock = { now: Date.UTC(2027, 0, 15, 12) }
  const own = { now: clock.now }
  let clouds: Clouds
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trivium-clouds-'))
    clouds = await startClouds(clock)
  })
  afterAll(async () => {
    await clouds.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get clouds() {
      return clouds
    },
    /** The clock of the clouds, and that of the gateway. */
    clock,
    own,
    get folder() {
      return folder
    },
    /** The path of a file with this text. */
    file(name: string, text: string): string {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
    tools: (variables: Variables = {}, options: Partial<FetchOptions> = {}): SourceTools =>
      createSourceTools(
        { variables, forPrograms: { PATH: '/usr/bin:/bin' } },
        { now: () => own.now, standIns: clouds.standIns, timeoutMs: 5_000, metadataTimeoutMs: 5_000, ...options },
      ),
  }
}

export const readNow = <T>(source: Source<T>): Promise<Expiring<T>> => source.read(new AbortController().signal)

/** Why a source has nothing to give: without what nobody may read. */
export async function failureOf(reading: Promise<unknown>, secrets: readonly string[] = []): Promise<string> {
  const error = await reading.then(
    (value) => new Error(`it was given: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SourceFailed)) throw error
  for (const secret of secrets) expect(error.message).not.toContain(secret)
  expect(error.message).not.toMatch(/[\r\n]/)
  return error.message
}
