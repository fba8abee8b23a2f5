// `secret rotate`: a new master secret in force, and everything that is stored encrypted with it.
import { createAccountCipher } from '../../access/secrets/account-cipher.ts'
import { fingerprintOf } from '../../access/secrets/fingerprint.ts'
import { createProgress } from '../../backup/progress.ts'
import { openBlobs } from '../../media/open-media.ts'
import { auditEntry, COMMAND_LINE } from '../../operate/operation.ts'
import { type Resealed, reseal } from '../../operate/secrets/reseal.ts'
import { FolderInUse, type Storage } from '../../storage/storage.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors.ts'

/** Nodes look every second which secret is in force. What they have encrypted until then is in the store after this time. */
const NODES_FOLLOW_MS = 5_000

export async function rotateSecret(context: CommandContext): Promise<unknown> {
  const environment = context.environment()
  const storage = await context.openStorage(environment).catch((error: unknown) => {
    if (!(error instanceof FolderInUse)) throw error
    throw new CommandError('stop the server first: with SQLite the master secret is rotated while none runs')
  })
  try {
    const secrets = await context.beginRotation(environment, storage)
    const after = { fingerprint: fingerprintOf(secrets.current) }
    await storage.auditLog.add(auditEntry({ actor: COMMAND_LINE }, 'secret rotate', { object: 'secret', after }))
    await waitForNodes(storage)
    const ciphers = { next: createAccountCipher(secrets.current), any: createAccountCipher(secrets) }
    const { assembled } = await context.configuration(environment, storage)
    const done = await reseal({ storage, blobs: openBlobs(environment, assembled.config), ciphers, report: reporter() })
    await context.endRotation(storage, secrets)
    return { ...done, fingerprint: after.fingerprint }
  } finally {
    await storage.close()
  }
}

async function waitForNodes({ nodes }: Pick<Storage, 'nodes'>): Promise<void> {
  const live = await nodes.live()
  if (live.length === 0) return
  process.stderr.write(`waiting ${NODES_FOLLOW_MS / 1_000} s until ${live.length} servers use the new secret\n`)
  await Bun.sleep(NODES_FOLLOW_MS)
}

function reporter(): (counts: Resealed) => void {
  const progress = createProgress((message) => void process.stderr.write(`${message}\n`))
  return ({ changed, present, unreadable }) =>
    progress(`${changed} values encrypted anew, ${present} were already, ${unreadable} cannot be decrypted`)
}
