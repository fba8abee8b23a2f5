// The playground's calls: they go through the gateway's own endpoints and are billed to the account's built-in key, whose secret stays
// in the gateway.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { KeyRow, Receipt } from '../../packages/console/src/api/types.ts'
import { eventually } from '../support/eventually.ts'
import { audit } from '../support/gateway/accounts.ts'
import { changeStore } from '../support/gateway/ask-store.ts'
import { COOKIE, type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const CHAT = 'playground/v1/chat/completions'
const TASKS = 'playground/api/v3/contents/generations/tasks'
const SECRET = /sk-[\w-]{16,}/

const hello = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
const endless = {
  model: 'sandbox-text',
  stream: true,
  messages: [{ role: 'user', content: 'say 100000 words, pace 20 ms' }],
}

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine, streamTiming: { usageWaitMs: 100 } })
  })
  afterAll(async () => {
    await eventually(async () => (await audit(gateway)).open_holds === 0)
    expect(await audit(gateway)).toMatchObject({ ok: true })
    const { stdout, stderr } = gateway.output()
    expect(stderr).not.toMatch(/"level":"error"/)
    expect(stderr).not.toMatch(SECRET)
    expect(stdout.replace(gateway.firstKey ?? '', '')).not.toMatch(SECRET)
    await gateway.stop()
  })

  let people = 0
  async function newPerson(): Promise<{ email: string; client: ConsoleClient }> {
    const email = `player-${++people}@example.com`
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD, '--credit', '10')
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return { email, client }
  }
  const headersOf = (client: ConsoleClient) => ({ origin: gateway.url, cookie: `${COOKIE}=${client.token()}` })
  const keyOf = async (client: ConsoleClient) => (await client.get<KeyRow>('playground/key')).body
  async function receiptOf(client: ConsoleClient, id: string | null): Promise<Receipt> {
    let receipt: Receipt | undefined
    await eventually(async () => {
      const answer = await client.get<Receipt>(`requests/${id}`)
      receipt = answer.status === 200 && answer.body.state !== 'open' ? answer.body : undefined
      return receipt !== undefined
    })
    if (!receipt) throw new Error('no receipt')
    return receipt
  }

  test('a call is billed to the built-in key, which has a cap and appears at its first use', async () => {
    const { client } = await newPerson()
    const answer = await client.post<{ choices: unknown[] }>(CHAT, hello)
    expect([answer.status, answer.body.choices.length]).toEqual([200, 1])
    const receipt = await receiptOf(client, answer.headers.get('x-request-id'))
    const key = await keyOf(client)
    expect(key).toMatchObject({ purpose: 'playground', group: 'default', cap_usd: '5.00', cap_period: 'month' })
    expect(receipt).toMatchObject({ key_id: key.id, model: 'sandbox-text', outcome: 'completed' })
    expect(Number(receipt.cost_usd)).toBeGreaterThan(0)
    await eventually(async () => (await keyOf(client)).spent_usd === receipt.cost_usd)
    const made = await gateway.command<object[]>('audit-log', '--object', `key/${key.id}`)
    expect(made).toMatchObject([{ action: 'key create', after: { name: 'Playground', cap_usd: '5.00' } }])
    expect(JSON.stringify(made)).not.toMatch(SECRET)
  })

  test('one call has one line in the log, with the request id and the key that its caller sees', async () => {
    const { client } = await newPerson()
    const { id: key_id } = await keyOf(client)
    const ids: (string | null)[] = []
    for (const body of [hello, { ...hello, stream: true }, { model: 'unknown', messages: [] }])
      ids.push((await client.post(CHAT, body)).headers.get('x-request-id'))
    const lines = () =>
      gateway
        .output()
        .stderr.split('\n')
        .filter((line) => line.includes(`"key_id":"${key_id}"`) || line.includes('/playground/v1/'))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    await eventually(() => lines().length >= 3)
    expect(lines().map(({ path, request_id, key_id }) => ({ path, request_id, key_id }))).toEqual(
      ids.map((request_id) => ({ path: '/v1/chat/completions', request_id, key_id })),
    )
    // What the console answers itself has its own line.
    const elsewhere = await client.post('playground/v1/models', {})
    await eventually(() => gateway.output().stderr.includes(`"request_id":"${elsewhere.headers.get('x-request-id')}"`))
  })

  test('first calls at the same time share one key', async () => {
    const { client } = await newPerson()
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.post(CHAT, hello)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    const receipts = await Promise.all(answers.map(({ headers }) => receiptOf(client, headers.get('x-request-id'))))
    expect(new Set(receipts.map(({ key_id }) => key_id)).size).toBe(1)
  })

  test('credentials that a page adds are not used', async () => {
    const [{ client }, other] = [await newPerson(), await newPerson()]
    const { body } = await other.client.post<{ secret: string; key: KeyRow }>('keys', { name: 'other' })
    const { secret } = body
    for (const headers of [
      { authorization: `Bearer ${secret}` },
      { 'x-api-key': secret },
      { 'x-goog-api-key': secret },
    ]) {
      const answer = await client.post(CHAT, hello, headers as Record<string, string>)
      const receipt = await receiptOf(client, answer.headers.get('x-request-id'))
      expect(receipt.key_id).toBe((await keyOf(client)).id)
    }
    const byQuery = await client.post(`${CHAT}?key=${secret}`, hello)
    expect(await receiptOf(client, byQuery.headers.get('x-request-id'))).toMatchObject({
      key_id: (await keyOf(client)).id,
    })
  })

  test('at the cap of the key calls end with 402, until it is raised', async () => {
    const { client } = await newPerson()
    const { id } = await keyOf(client)
    expect(outcomeOf(await client.post(`keys/${id}`, { cap_usd: '0.00001' }))).toBe('200')
    expect(outcomeOf(await client.post(CHAT, hello))).toBe('402 key_quota_exceeded')
    expect(outcomeOf(await client.post(CHAT, { ...hello, stream: true }))).toBe('402 key_quota_exceeded')
    const image = { model: 'sandbox-image', prompt: 'x', size: '64x64' }
    expect(outcomeOf(await client.post('playground/v1/images/generations', image))).toBe('402 key_quota_exceeded')
    expect(outcomeOf(await client.post(`keys/${id}`, { cap_usd: '1' }))).toBe('200')
    // A node remembers for a moment that the key had too little.
    await eventually(async () => outcomeOf(await client.post(CHAT, hello)) === '200')
  })

  test('other paths are not there', async () => {
    const { client } = await newPerson()
    const paths = [
      'v1/models',
      'v1/usage',
      'v1/messages',
      'v1/responses/resp_1',
      'v1/chat/completions/',
      'v1/chat',
      '',
      'v1%2Fchat%2Fcompletions',
      'v1/chat/completions%2F..',
      '/v1/chat/completions',
      'health',
      'console/api/keys',
      'api/v3/contents/generations/tasks/a/b',
      'api/v3/contents/generations/tasks/a%2Fb',
      'V1/CHAT/COMPLETIONS',
    ]
    for (const path of paths) {
      expect([path, outcomeOf(await client.post(`playground/${path}`, hello))]).toEqual([path, '404 not_found'])
      expect([path, outcomeOf(await client.get(`playground/${path}`))]).toEqual([path, '404 not_found'])
    }
    const { body } = await client.get<{ items: unknown[] }>('requests')
    expect(body.items).toEqual([])
  })

  test('a page of another origin, or one without a session, reaches nothing', async () => {
    const { client } = await newPerson()
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(outcomeOf(await client.post(CHAT, hello, headers))).toBe('403 foreign_page')
      expect(outcomeOf(await client.delete(`${TASKS}/cgt-1`, headers))).toBe('403 foreign_page')
    }
    const anonymous = consoleClient(gateway.url)
    for (const answer of [
      await anonymous.post(CHAT, hello),
      await anonymous.get(TASKS),
      await anonymous.get('playground/key'),
    ])
      expect(outcomeOf(answer)).toBe('401 not_signed_in')
    const { body } = await client.get<{ items: unknown[] }>('requests')
    expect(body.items).toEqual([])
  })

  test('a call of the playground renews the session in the browser, too', async () => {
    const { client } = await newPerson()
    const token = client.token()
    const cookiesOf = (headers: Headers) => headers.getSetCookie().map((line) => line.slice(0, COOKIE.length + 44))
    expect(cookiesOf((await client.post(CHAT, hello)).headers)).toEqual([])
    for (const body of [hello, { ...hello, stream: true }, { ...hello, model: 'unknown' }]) {
      await changeStore(gateway.home, `UPDATE session SET seen_at = seen_at - 120000`)
      expect(cookiesOf((await client.post(CHAT, body)).headers)).toEqual([`${COOKIE}=${token}`])
    }
  })

  test('the secret is in no response', async () => {
    const { client } = await newPerson()
    const answers = [
      await client.get('playground/key'),
      await client.post(CHAT, hello),
      await client.post(CHAT, { ...hello, stream: true }),
      await client.post(CHAT, { ...hello, model: 'unknown' }),
      await client.post(CHAT, '{'),
      await client.post('playground/v1/responses', { model: 'sandbox-text', input: 'Hello' }),
      await client.post('playground/v1/images/generations', { model: 'sandbox-image', prompt: 'x', size: '64x64' }),
      await client.get(TASKS),
      await client.get(`${TASKS}/cgt-1`),
      await client.get('keys'),
      await client.get('requests'),
    ]
    for (const { text, headers } of answers) expect(text + JSON.stringify([...headers])).not.toMatch(SECRET)
    const { last_four } = await keyOf(client)
    expect(last_four).toHaveLength(4)
    // It cannot be had by the ways of other keys either.
    const { id } = await keyOf(client)
    expect(outcomeOf(await client.post(`keys/${id}/rotate`, { grace_seconds: 0 }))).toMatch(/built_in_key$/)
    expect(outcomeOf(await client.delete(`keys/${id}`))).toMatch(/built_in_key$/)
    expect((await chat(gateway.url, `sk-${id}`, hello)).status).toBe(401)
  })

  test('a stream arrives as it is made; what a browser stops is charged up to there', async () => {
    const { client } = await newPerson()
    const stopper = new AbortController()
    const response = await fetch(`${gateway.url}/console/api/${CHAT}`, {
      method: 'POST',
      body: JSON.stringify(endless),
      signal: stopper.signal,
      headers: { ...headersOf(client), 'content-type': 'application/json' },
    })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const reader = response.body?.getReader()
    for (let events = 0; events < 5; events++) expect((await reader?.read())?.done).toBe(false)
    stopper.abort()
    const receipt = await receiptOf(client, response.headers.get('x-request-id'))
    expect(receipt.outcome).not.toBe('completed')
    expect(Number(receipt.cost_usd)).toBeGreaterThan(0)
    expect(receipt.units?.output ?? 0).toBeLessThan(100_000)
  })

  test('pictures are edited by a form', async () => {
    const { client } = await newPerson()
    const made = await client.post<{ data: { b64_json: string }[] }>('playground/v1/images/generations', {
      model: 'sandbox-image',
      prompt: 'A lighthouse',
      size: '64x64',
    })
    const png = new Blob([Buffer.from(made.body.data[0]?.b64_json ?? '', 'base64')], { type: 'image/png' })
    const form = new FormData()
    for (const [name, value] of Object.entries({ model: 'sandbox-image', prompt: 'At night', size: '64x64' }))
      form.set(name, value)
    form.set('image', png, 'image.png')
    form.set('mask', png, 'mask.png')
    const response = await fetch(`${gateway.url}/console/api/playground/v1/images/edits`, {
      method: 'POST',
      headers: headersOf(client),
      body: form,
    })
    const answer = (await response.json()) as { data: { b64_json: string }[] }
    expect([response.status, answer.data.length]).toEqual([200, 1])
    const receipt = await receiptOf(client, response.headers.get('x-request-id'))
    expect(receipt).toMatchObject({ key_id: (await keyOf(client)).id, outcome: 'completed', cost_usd: '0.04' })
  })

  test('a video is made, and is invisible to other accounts', async () => {
    const [{ client }, { client: other }] = [await newPerson(), await newPerson()]
    const submitted = await client.post<{ id: string }>(TASKS, {
      model: 'sandbox-video',
      content: [{ type: 'text', text: 'A lighthouse' }],
      duration: 1,
    })
    const { id } = submitted.body
    expect(outcomeOf(await other.get(`${TASKS}/${id}`))).toMatch(/^404/)
    expect(outcomeOf(await other.delete(`${TASKS}/${id}`))).toMatch(/^404/)
    let task: { status: string; content?: { video_url: string } } | undefined
    await eventually(async () => {
      task = (await client.get<NonNullable<typeof task>>(`${TASKS}/${id}`)).body
      return task.status === 'succeeded'
    })
    const video = await fetch(task?.content?.video_url ?? '')
    expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    const listed = (one: ConsoleClient) => one.get<{ items: { id: string }[] }>(TASKS).then(({ body }) => body.items)
    expect((await listed(client)).map((each) => each.id)).toEqual([id])
    expect(await listed(other)).toEqual([])
    const receipt = await receiptOf(client, submitted.headers.get('x-request-id'))
    expect(receipt).toMatchObject({ key_id: (await keyOf(client)).id, cost_usd: '0.05' })
  })
})
