// The stored configuration in whole gateways: a sample of `npm run torture`, and two nodes on one database.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { callServer } from '../../packages/gateway/src/cli/control-socket.ts'
import { CONFIGURATION_SCENARIOS } from '../../torture/scenarios/index.ts'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { homeOnSameDatabase } from '../support/gateway/home.ts'
import { testSample } from '../support/torture-sample.ts'

testSample(CONFIGURATION_SCENARIOS)

describe('two nodes on one database', () => {
  let nodes: [Gateway, Gateway]
  beforeAll(async () => {
    const first = await startGateway({ engine: 'postgres' })
    nodes = [first, await startGateway({ home: homeOnSameDatabase(first.home, '') })]
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
  })

  const perform = async (gateway: Gateway, name: string, input: object) =>
    (await callServer(gateway.home.dataDir, name, input))?.result
  const ready = async ({ url }: Gateway) =>
    (await (await fetch(`${url}/ready`)).json()) as { revision: number; drift: boolean }
  const settled = (revision: number) =>
    eventually(async () => {
      const states = await Promise.all(nodes.map(ready))
      return states.every((state) => state.revision === revision && !state.drift)
    })
  const upstream = { id: 'main', dialect: 'chat', base_url: 'http://127.0.0.1:1/v1', keys: ['k'] }

  test('a change on one is in force on the other; writers at once lose nothing', async () => {
    const [one, other] = nodes
    await perform(one, 'upstream create', upstream)
    expect((await ready(one)).revision).toBe(1)
    await settled(1)
    await Promise.all([
      perform(one, 'settings change', { console: { name: 'One' } }),
      perform(other, 'upstream create', { ...upstream, id: 'second' }),
      perform(other, 'settings change', { retention: { responses: '5d' } }),
    ])
    await settled(4)
    const { items } = (await perform(one, 'upstream list', {})) as { items: { id: string }[] }
    expect(items.map(({ id }) => id)).toEqual(['main', 'second'])
  })

  test('a node that cannot apply a revision keeps the one before, and all show the drift', async () => {
    const [one, other] = nodes
    const model = 'models: [{ id: m, routes: [{ upstream: second }], price: { input: 1, output: 1 } }]\n'
    writeFileSync(other.home.configFile, model)
    other.signal('SIGHUP')
    await eventually(() => other.output().stderr.includes('configuration reloaded'))
    await perform(one, 'upstream delete', { upstream: 'second' })
    await eventually(() => other.output().stderr.includes('the stored configuration is not in force here'))
    expect((await ready(other)).revision).toBe(4)
    await eventually(async () => (await ready(one)).drift && (await ready(other)).drift)
    writeFileSync(other.home.configFile, '{}\n')
    other.signal('SIGHUP')
    await settled(5)
  })
})
