// A gateway over two scripted upstreams of the images dialect, for all tests of a file or of a describe block.
import { afterAll, afterEach, expect } from 'bun:test'
import { eventually } from '../eventually.ts'
import { configForImages } from '../upstreams/image-replies.ts'
import { startUpstream, type Upstream } from '../upstreams/raw-upstream.ts'
import { audit } from './accounts.ts'
import { type Gateway, startGateway } from './gateway.ts'
import type { Engine } from './home.ts'
import { spooledFiles } from './spooled-files.ts'

export type ImageGateway = { gateway: Gateway; first: Upstream; second: Upstream }

/** After each test the ledger is audited and no upload is left; after all of them there is no error in the log. */
export function startImageGateway(engine: Engine = 'sqlite', more = ''): Promise<ImageGateway> {
  const started = start(engine, more)
  afterEach(async () => {
    const { gateway } = await started
    await eventually(async () => (await audit(gateway)).open_holds === 0)
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
    await eventually(() => spooledFiles(gateway.home).length === 0)
  })
  afterAll(async () => {
    const { gateway, first, second } = await started
    expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
    await gateway.stop()
    first.stop()
    second.stop()
  })
  return started
}

async function start(engine: Engine, more: string): Promise<ImageGateway> {
  const first = await startUpstream()
  const second = await startUpstream()
  return { gateway: await startGateway({ engine, config: configForImages(first, second, more) }), first, second }
}
