// TRIVIUM_WORKERS above 1: this process becomes the parent of several servers on one port.
import { CommandError } from '../cli/errors.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import { ignoreUserSignal } from '../process/signals.ts'
import { type Launch, supervise } from '../process/supervisor.ts'

/** `ready` is called when all workers listen. */
export function startWorkers(
  { workers, port }: Environment,
  { server }: FileConfig,
  launch: Launch,
  log: Log,
  ready: () => void,
): void {
  if (process.platform !== 'linux') {
    throw new CommandError(
      'TRIVIUM_WORKERS above 1 requires Linux: other systems do not distribute the connections of a shared port. Start several gateways on separate ports behind a load balancer instead',
    )
  }
  const exit = (code: number) => process.exit(code)
  const supervisor = supervise({ workers, port, tls: server.tls !== undefined, launch, log, ready, exit })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => supervisor.stop(signal))
  process.on('SIGHUP', supervisor.reload)
  ignoreUserSignal(log)
}
