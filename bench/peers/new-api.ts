// new-api on SQLite, with its defaults. It is configured through its API, as its console does it.
import { randomBytes } from 'node:crypto'
import { childOf, freePort } from '../harness/processes.ts'
import { newFolder, type Peer, type PeerUpstream, placeOf, stopping, untilAnswers } from './peer.ts'

/** The kinds of its channels, by the protocol in which they call. */
const KINDS = { chat: 1, messages: 14, 'generate-content': 24 } as const
/** A ratio of 1 is 2 USD per million tokens. */
const INPUT_RATIO = 0.5
const OUTPUT_TO_INPUT = 4

export const newApi: Peer = {
  name: 'new-api',
  version: '0.9.0',
  install: [
    'go mod download -json github.com/QuantumNous/new-api@v0.9.0   # prints its folder, Dir',
    'cp -r DIR $PEERS/new-api-source && chmod -R u+w $PEERS/new-api-source && cd $PEERS/new-api-source',
    'mkdir -p web/dist && touch web/dist/index.html   # its console is not in the module',
    'go build -o $PEERS/new-api .',
  ].join('\n'),
  file: '$PEERS/new-api',
  does: 'token with a quota checked; charged in SQLite after the answer',
  async start(upstream) {
    const folder = newFolder('new-api')
    const port = await freePort()
    const child = childOf('new-api', ['/bin/sh', '-c', `cd ${folder} && exec ${placeOf(newApi)}`], {
      PORT: String(port),
      SQLITE_PATH: `${folder}/one-api.db?_busy_timeout=30000`,
      SESSION_SECRET: 'bench',
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
      RELAY_TIMEOUT: '8',
      STREAMING_TIMEOUT: '8',
    })
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(`${url}/api/status`, child)
    const key = await configure(url, upstream)
    return {
      url,
      key,
      models: {
        text: Object.keys(KINDS).map((dialect) => `over-${dialect}`),
        ...(upstream.embeddingModel ? { embedding: ['court-embedding'] } : {}),
        ...(upstream.imageModel ? { image: ['court-image'] } : {}),
      },
      headers: {},
      pid: child.pid,
      stop: stopping(child, folder),
    }
  },
}

/** Returns the secret of a token. */
async function configure(url: string, { origin, model, embeddingModel, imageModel }: PeerUpstream): Promise<string> {
  let headers: Record<string, string> = { 'content-type': 'application/json' }
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer = (await response.json()) as { success?: boolean; message?: string; data?: unknown }
    if (answer.success !== true) throw new Error(`new-api refuses ${method} ${path}: ${answer.message}`)
    return { answer, cookie: response.headers.get('set-cookie') ?? '' }
  }
  const password = randomBytes(8).toString('hex')
  await call('POST', 'setup', { username: 'root', password, confirmPassword: password })
  const { cookie } = await call('POST', 'user/login', { username: 'root', password })
  headers = { ...headers, cookie: cookie.split(';')[0] ?? '', 'new-api-user': '1' }
  const mapping = new Map<string, string>(Object.keys(KINDS).map((dialect) => [`over-${dialect}`, model]))
  for (const [dialect, type] of Object.entries(KINDS)) {
    const own = [[`over-${dialect}`, model]]
    if (dialect === 'chat' && embeddingModel) own.push(['court-embedding', embeddingModel])
    if (dialect === 'chat' && imageModel) own.push(['court-image', imageModel])
    for (const [name = '', inner = ''] of own) mapping.set(name, inner)
    await call('POST', 'channel/', {
      mode: 'single',
      channel: {
        type,
        key: 'none',
        name: dialect,
        base_url: origin,
        models: own.map(([name]) => name).join(','),
        group: 'default',
        groups: ['default'],
        model_mapping: JSON.stringify(Object.fromEntries(own)),
        auto_ban: 0,
        priority: 0,
        weight: 1,
      },
    })
  }
  const each = (value: number) => JSON.stringify(Object.fromEntries([...mapping.keys()].map((name) => [name, value])))
  await call('PUT', 'option/', { key: 'ModelRatio', value: each(INPUT_RATIO) })
  await call('PUT', 'option/', { key: 'CompletionRatio', value: each(OUTPUT_TO_INPUT) })
  await call('POST', 'token/', { name: 'bench', unlimited_quota: true, expired_time: -1, remain_quota: 0 })
  const { answer } = await call('GET', 'token/?p=1&size=10')
  const { items = [] } = answer.data as { items?: { key: string }[] }
  const secret = items[0]?.key
  if (secret === undefined) throw new Error('new-api has no token')
  return `sk-${secret}`
}
