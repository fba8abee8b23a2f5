// The threads of the gateway: each is bundled on its own, and found by the name of its file.

import { join } from 'node:path'

const GATEWAY = join(import.meta.dir, '../../packages/gateway/src')

export const THREADS: readonly string[] = [
  'storage/sqlite/writer-thread.ts',
  'storage/sqlite/reader-thread.ts',
  'storage/sqlite/contents/contents-thread.ts',
  'token-counting/tokenizer-thread.ts',
  'media/audio/audio-thread.ts',
].map((path) => join(GATEWAY, path))
