// The operator's commands without a process for each: at the door of a running server, or, on PostgreSQL, right here.
// What these commands do is the same code either way; that the command line says the same is looked at in the end.
import { type Desk, isOperation, OPERATIONS } from '../packages/gateway/src/cli/operations.ts'
import { loadFile } from '../packages/gateway/src/config.ts'
import { openPostgres } from '../packages/gateway/src/storage/postgres.ts'
import { StoreDown } from '../packages/gateway/src/storage/storage.ts'
import { ask } from '../test/support/gateway/control.ts'
import type { Gateway, Home } from '../test/support/gateway/gateway.ts'

const desks = new Map<string, Promise<Desk>>()
const PATIENCE_MS = 20_000

export async function operate<T>(gateway: Gateway, command: string, values: Record<string, string> = {}): Promise<T> {
  const { home } = gateway
  if (home.databaseUrl === undefined) return await ask<T>(gateway, command, values)
  if (!isOperation(command)) throw new Error(`no such command: ${command}`)
  const desk = desks.get(home.databaseUrl) ?? openDesk(home, home.databaseUrl)
  desks.set(home.databaseUrl, desk)
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return (await OPERATIONS[command](await desk, values)) as T
    } catch (error) {
      // A connection that died with the database: the next one is a new one.
      if (!(error instanceof StoreDown) || performance.now() > end) throw error
      await Bun.sleep(50)
    }
  }
}

async function openDesk({ configFile }: Home, url: string): Promise<Desk> {
  const { config } = loadFile(configFile, {})
  if (!config) throw new Error(`${configFile} is not a configuration`)
  return { config, storage: await openPostgres(url) }
}

export async function closeDesks(): Promise<void> {
  const open = await Promise.all(desks.values())
  desks.clear()
  for (const { storage } of open) await storage.close()
}
