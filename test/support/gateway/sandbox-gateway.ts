// A gateway over the sandbox as a server of its own, called in all four dialects: `over-chat` and so on.
import { startSandboxServer } from '../../../packages/sandbox/src/server.ts'
import { configOfDialects } from '../upstreams/recorded-upstream.ts'
import { newKey } from './accounts.ts'
import { startGateway } from './gateway.ts'

export type SandboxGateway = { url: string; key: string; stop(): Promise<void> }

export async function startSandboxGateway(): Promise<SandboxGateway> {
  const sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false, pace: 0 })
  const gateway = await startGateway({ config: configOfDialects(sandbox.url, 'sandbox-text') })
  const { secret } = await newKey(gateway, '1000')
  const stop = async () => {
    await gateway.stop()
    await sandbox.stop()
  }
  return { url: gateway.url, key: secret, stop }
}
