// An S3 server that checks signatures.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Config } from '../../packages/gateway/src/config/types.ts'

type S3rver = { run(): Promise<{ port: number }>; close(): Promise<void> }

/** The server has one bucket and one key. It has no type declarations, hence the name in a variable. */
export async function startS3(): Promise<{ config: S3Config; folder: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-s3-'))
  const name = '@20minutes/s3rver'
  const { default: Server } = (await import(name)) as { default: new (options: object) => S3rver }
  const buckets = [{ name: 'pictures', configs: [] }]
  const server = new Server({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: buckets,
  })
  const { port } = await server.run()
  const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }
  return {
    config: { endpoint: `http://127.0.0.1:${port}`, bucket: 'pictures', region: 'us-east-1', ...keys },
    folder,
    async stop() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
