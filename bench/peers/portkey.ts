// Portkey's open gateway: the upstream is named by headers, and whoever calls brings its key.
import { childOf, freePort } from '../harness/processes.ts'
import { newFolder, type Peer, placeOf, stopping, untilAnswers } from './peer.ts'

export const portkey: Peer = {
  name: 'portkey',
  version: '1.15.2',
  // With the newest of its dependencies, every stream is a 500.
  install:
    'npm install --legacy-peer-deps --prefix $PEERS/portkey @portkey-ai/gateway@1.15.2 hono@4.9.7 @hono/node-server@1.3.3',
  file: '$PEERS/portkey/node_modules/@portkey-ai/gateway/build/start-server.js',
  does: 'no keys, no money: a router',
  async start({ origin, model, embeddingModel, imageModel }) {
    const port = await freePort()
    const child = childOf('portkey', ['node', placeOf(portkey), `--port=${port}`, '--headless'], {
      NODE_ENV: 'production',
    })
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(url, child)
    return {
      url,
      key: 'any-key-of-the-upstream',
      models: {
        text: [model],
        ...(embeddingModel ? { embedding: [embeddingModel] } : {}),
        ...(imageModel ? { image: [imageModel] } : {}),
      },
      headers: {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${origin}/v1`,
        'x-portkey-request-timeout': '8000',
      },
      pid: child.pid,
      stop: stopping(child, newFolder('portkey')),
    }
  },
}
