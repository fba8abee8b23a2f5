// Tasks outlive changes of the configuration.
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { eventually } from '../support/eventually.ts'
import type { Gateway } from '../support/gateway/gateway.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import type { State } from '../support/upstreams/scripted-video.ts'

const { gateway, first } = await startVideoGateway()
const newClient = () => newVideoClient(gateway)
const become = (...states: State[]) => {
  for (const task of first.tasks.values()) task.states = [...states]
}
const CHARGED = [{ outcome: 'completed', cost_usd: '0.25' }]

/** The gateway with another configuration, in force. */
async function reconfigure(
  { home, output, signal }: Gateway,
  change: (config: string) => string,
): Promise<() => Promise<void>> {
  const before = readFileSync(home.configFile, 'utf8')
  const write = async (text: string) => {
    const loaded = () => output().stderr.split('configuration').length
    const already = loaded()
    writeFileSync(home.configFile, text)
    signal('SIGHUP')
    await eventually(() => loaded() > already)
  }
  const after = change(before)
  if (after === before) throw new Error('the configuration does not change')
  await write(after)
  return () => write(before)
}

test('an upstream that is removed from the configuration and put back', async () => {
  const client = await newClient()
  first.script.states = ['running']
  const id = await client.submit()
  await client.until(id, 'running')
  const restore = await reconfigure(gateway, (config) =>
    config
      .split('\n')
      .filter((line) => !/id: (first|vid|two),/.test(line))
      .join('\n'),
  )
  const before = first.count('query')
  await Bun.sleep(400)
  expect(first.count('query')).toBe(before)
  expect(await client.read(id)).toMatchObject({ status: 'running', model: 'vid' })
  become('succeeded')
  await restore()
  await client.until(id, 'succeeded')
  expect(await client.settled()).toMatchObject(CHARGED)
})

test('keys of the upstream: the one of the submit is used as long as it is there', async () => {
  const client = await newClient()
  first.script.states = ['running']
  const id = await client.submit()
  const restore = await reconfigure(gateway, (config) => config.replaceAll('keys: [key]', 'keys: [other, key]'))
  const before = first.count('query')
  await eventually(() => first.count('query') > before + 1)
  const used = new Set(first.requests.map(({ received }) => received.headers.authorization))
  expect([...used]).toEqual(['Bearer key'])
  await reconfigure(gateway, (config) => config.replaceAll('keys: [other, key]', 'keys: [other]'))
  await eventually(() => first.requests.at(-1)?.received.headers.authorization === 'Bearer other')
  become('succeeded')
  await client.until(id, 'succeeded')
  expect(await client.settled()).toMatchObject(CHARGED)
  await restore()
})
