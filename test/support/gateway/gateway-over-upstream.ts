// A gateway over a scripted upstream (raw-upstream.ts) for all tests of a file.
import { afterAll, afterEach, expect } from 'bun:test'
import { eventually } from '../eventually.ts'
import { configFor, type OtherUpstream, startUpstream, type Upstream } from '../upstreams/raw-upstream.ts'
import { audit } from './accounts.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

type Options = Omit<GatewayOptions, 'config'> & { others?: Record<string, OtherUpstream> }

/** Audits the ledger after each test. After all of them there must be no error in the log: upstreams and clients cause none. */
export async function startGatewayOverUpstream({ others, ...options }: Options = {}): Promise<{
  upstream: Upstream
  gateway: Gateway
}> {
  const upstream = await startUpstream()
  const gateway = await startGateway({ ...options, config: configFor(upstream, others) })
  afterEach(async () => {
    // The gateway may still be reading a request whose client has disconnected.
    await eventually(async () => (await audit(gateway)).open_holds === 0)
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  })
  afterAll(async () => {
    expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
    await gateway.stop()
    upstream.stop()
  })
  return { upstream, gateway }
}
