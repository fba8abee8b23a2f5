// LiteLLM's proxy without a database: with one, it needs engine files of Prisma that do not come from a package registry.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childOf, freePort } from '../harness/processes.ts'
import { newFolder, type Peer, placeOf, stopping, untilAnswers } from './peer.ts'

const KEY = 'sk-peer-litellm-master-key'
const PRICES = 'input_cost_per_token: 0.000001, output_cost_per_token: 0.000004'

export const litellm: Peer = {
  name: 'litellm',
  version: '1.106.2',
  install: "python3 -m venv $PEERS/litellm && $PEERS/litellm/bin/pip install 'litellm[proxy]==1.106.2'",
  file: '$PEERS/litellm/bin/litellm',
  does: 'master key only; cost computed, kept nowhere',
  async start({ origin, model, embeddingModel, imageModel }) {
    const folder = newFolder('litellm')
    const port = await freePort()
    const entry = (name: string, provider: string, base: string, inner: string, more = PRICES) =>
      `  - { model_name: ${name}, litellm_params: { model: ${provider}/${inner}, api_base: "${base}", api_key: none, timeout: 8, stream_timeout: 8, max_retries: 0, ${more} } }`
    const config = [
      'model_list:',
      entry('over-chat', 'openai', `${origin}/v1`, model),
      entry('over-messages', 'anthropic', origin, model),
      ...(embeddingModel ? [entry('court-embedding', 'openai', `${origin}/v1`, embeddingModel)] : []),
      ...(imageModel ? [entry('court-image', 'openai', `${origin}/v1`, imageModel, 'input_cost_per_image: 0.01')] : []),
      `general_settings: { master_key: ${KEY} }`,
      'router_settings: { num_retries: 0, disable_cooldowns: true }',
      'litellm_settings: { num_retries: 0, drop_params: true, telemetry: false }',
    ]
    writeFileSync(join(folder, 'config.yaml'), config.join('\n'))
    const program = placeOf(litellm)
    const options = ['--config', join(folder, 'config.yaml'), '--host', '127.0.0.1', '--port', String(port)]
    const child = childOf('litellm', [program, ...options, '--num_workers', '1'], {
      HOME: folder,
      // Otherwise it fetches a list of prices when it starts.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_LOG: 'ERROR',
    })
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(`${url}/health/liveliness`, child)
    return {
      url,
      key: KEY,
      models: {
        text: ['over-chat', 'over-messages'],
        ...(embeddingModel ? { embedding: ['court-embedding'] } : {}),
        ...(imageModel ? { image: ['court-image'] } : {}),
      },
      headers: {},
      pid: child.pid,
      stop: stopping(child, folder),
    }
  },
}
