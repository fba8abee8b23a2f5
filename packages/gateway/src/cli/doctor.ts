// `trivium doctor`: the questions to ask first when something does not work.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { FolderInUse } from '../storage/storage.ts'
import type { Setup } from './run.ts'

type Check = { check: string; ok: boolean; note: string }

export async function doctor(setup: Setup): Promise<{ ok: boolean; checks: Check[] }> {
  const checks: Check[] = []
  const look = async (check: string, question: () => string | Promise<string>) => {
    try {
      checks.push({ check, ok: true, note: await question() })
    } catch (error) {
      checks.push({ check, ok: false, note: error instanceof Error ? error.message : String(error) })
    }
  }
  await look('runtime', () => `Bun ${Bun.version} on ${process.platform} ${process.arch}`)
  await look('environment', () => `host ${setup.environment().host}, port ${setup.environment().port}`)
  await look('configuration', () => describeConfig(setup))
  await look('data folder', () => describeFolder(setup.environment().dataDir))
  await look('store', () => describeStore(setup))
  // The owner of a SQLite file is the only node there is.
  if (checks.every(({ ok }) => ok) && setup.environment().databaseUrl) await look('nodes', () => describeNodes(setup))
  return { ok: checks.every(({ ok }) => ok), checks }
}

function describeConfig(setup: Setup): string {
  const environment = setup.environment()
  const { models, upstreams, remarks } = setup.config(environment)
  const file = environment.configFile ?? 'no file, defaults'
  return [`${file}: ${upstreams.size} upstreams, ${models.size} models`, ...remarks].join('; ')
}

function describeFolder(dataDir: string): string {
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  accessSync(dataDir, constants.R_OK | constants.W_OK)
  return `${dataDir} can be written`
}

/** Nodes that do not agree answer the same call differently, or at another price, depending on where it arrives. */
async function describeNodes(setup: Setup): Promise<string> {
  const environment = setup.environment()
  const here = shorten(setup.config(environment).hash)
  const storage = await setup.openStorage(environment)
  const nodes = await storage.nodes().finally(() => storage.close())
  if (nodes.length === 0) return `none is running; configuration ${here} here`
  const configs = new Set(nodes.map(({ config }) => shorten(config)))
  const list = nodes.map(({ slot, config }) => `node ${slot} has ${shorten(config)}`).join(', ')
  if (configs.size > 1) throw new Error(`configurations differ: ${list}; here it is ${here}`)
  if (!configs.has(here)) throw new Error(`the configuration here, ${here}, is not that of the nodes: ${list}`)
  return `${nodes.length} running, all with configuration ${here}`
}

const shorten = (hash: string): string => hash.slice(0, 12)

async function describeStore(setup: Setup): Promise<string> {
  const environment = setup.environment()
  try {
    const storage = await setup.openStorage(environment)
    await storage.ping()
    await storage.close()
    return environment.databaseUrl ? 'PostgreSQL answers' : 'SQLite opens'
  } catch (error) {
    if (error instanceof FolderInUse) return `in use: ${error.message}`
    throw error
  }
}
