// Bifrost's HTTP gateway without its stores. Its releases come from the Go module proxy or from its maker.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childOf, freePort } from '../harness/processes.ts'
import { newFolder, type Peer, placeOf, stopping, untilAnswers } from './peer.ts'

export const bifrost: Peer = {
  name: 'bifrost',
  version: '1.6.11',
  install: 'GOBIN=$PEERS go install github.com/maximhq/bifrost/transports/bifrost-http@v1.6.11',
  file: '$PEERS/bifrost-http',
  does: 'no keys, no money without its stores',
  async start({ origin, model }) {
    const folder = newFolder('bifrost')
    const port = await freePort()
    const keys = [{ name: 'none', value: 'none', models: [model], weight: 1 }]
    const providers = { openai: { keys, network_config: { base_url: origin, default_request_timeout_in_seconds: 8 } } }
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ providers }))
    const options = ['-app-dir', folder, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'error']
    const child = childOf('bifrost', [placeOf(bifrost), ...options])
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(`${url}/health`, child)
    const models = { text: [`openai/${model}`] }
    return { url, key: 'any', models, headers: {}, pid: child.pid, stop: stopping(child, folder) }
  },
}
