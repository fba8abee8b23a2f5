// Another gateway on this machine: how it is installed, found and started, for `npm run bench -- --peers` and for the court.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from '../harness/processes.ts'

/** Where the commands in `install` put what they install. TRIVIUM_PEERS names another folder. */
export const PEERS = process.env.TRIVIUM_PEERS ?? join(tmpdir(), 'trivium-peers')

/** `chat`: the base URL of an upstream that speaks Chat Completions, and so on, each without what its SDK appends. */
export type PeerUpstream = { origin: string; model: string; embeddingModel?: string; imageModel?: string }

export type RunningPeer = {
  url: string
  key: string
  /** The upstream's model by the names of this gateway, once for each protocol in which it calls the upstream. */
  models: { text: readonly string[]; embedding?: readonly string[]; image?: readonly string[] }
  /** Besides the key. */
  headers: Readonly<Record<string, string>>
  /** The first of its processes; the others are its children. */
  pid: number
  stop(): Promise<void>
}

export type Peer = {
  name: string
  /** The only one that is measured: figures of others cannot be compared with those that are published. */
  version: string
  /** Commands, with `$PEERS` for the folder. */
  install: string
  /** A file that exists once it is installed; with `$PEERS` for the folder. */
  file: string
  /** What it does for a request, for the table beside the figures. */
  does: string
  /** It calls the upstream by these paths below `origin`; absent: those of the protocols. */
  start(upstream: PeerUpstream): Promise<RunningPeer>
}

export const placeOf = ({ file }: Pick<Peer, 'file'>): string => file.replace('$PEERS', PEERS)
export const isInstalled = (peer: Peer): boolean => existsSync(placeOf(peer))

export const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `trivium-${name}-`))

/** Stops a process and removes its folder. */
export const stopping = (child: Child, folder: string) => async () => {
  await child.stop()
  rmSync(folder, { recursive: true, force: true })
}

const START_WITHIN_MS = 90_000

export async function untilAnswers(url: string, child: Child): Promise<void> {
  const end = performance.now() + START_WITHIN_MS
  while (!child.ended && performance.now() < end) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer && answer.status < 500) return
    await Bun.sleep(50)
  }
  throw new Error(`it did not start: ${child.output().slice(-2_000)}`)
}
