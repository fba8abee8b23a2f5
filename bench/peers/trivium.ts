// This checkout, as a gateway beside the others.
import { VERSION } from '../../packages/gateway/src/observe/version.ts'
import { createHomeWith, MAIN } from '../harness/home.ts'
import { startGateway } from '../harness/servers.ts'
import type { Peer } from './peer.ts'

const PATHS = { chat: '/v1', responses: '/v1', messages: '', 'generate-content': '/v1beta' } as const
const DIALECTS = Object.keys(PATHS) as (keyof typeof PATHS)[]
const TEXT = 'price: { input: 1, output: 4 }, limits: { max_output: 1000000 }'
/** Shorter than in production, so that faults that hit them end soon. */
const TIMEOUTS = 'timeouts: { first_byte: 2s, idle: 2s, total: 12s }'

export const trivium: Peer = {
  name: 'trivium',
  version: VERSION,
  install: 'npm ci',
  file: MAIN,
  does: 'key and account checked; reserved before, charged after; durable in SQLite before the last byte',
  async start({ origin, model, embeddingModel, imageModel }) {
    const services = [
      ...(embeddingModel
        ? [
            `  - { id: court-embedding, type: embedding, price: { input: 0.02 }, routes: [{ upstream: chat, model: ${embeddingModel} }] }`,
          ]
        : []),
      ...(imageModel
        ? [
            `  - { id: court-image, type: image, price: { per_image: 0.01 }, routes: [{ upstream: images, model: ${imageModel} }] }`,
          ]
        : []),
    ]
    const home = await createHomeWith(
      [
        'sandbox: false',
        'upstreams:',
        ...DIALECTS.map(
          (id) =>
            `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${PATHS[id]}", keys: [none], breaker: false, ${TIMEOUTS} }`,
        ),
        `  - { id: images, dialect: images, base_url: "${origin}/v1", keys: [none] }`,
        'models:',
        ...DIALECTS.map((id) => `  - { id: over-${id}, routes: [{ upstream: ${id}, model: ${model} }], ${TEXT} }`),
        ...services,
      ].join('\n'),
    )
    const server = await startGateway(home)
    return {
      url: `http://127.0.0.1:${server.port}`,
      key: home.keys[0] ?? '',
      models: {
        text: DIALECTS.map((id) => `over-${id}`),
        ...(embeddingModel ? { embedding: ['court-embedding'] } : {}),
        ...(imageModel ? { image: ['court-image'] } : {}),
      },
      headers: {},
      pid: server.pid,
      async stop() {
        await server.stop()
        home.remove()
      },
    }
  },
}
