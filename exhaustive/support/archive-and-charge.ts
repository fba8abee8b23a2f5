// Charges requests, seals and archives months at the same time, until all that is due is archived or the process is killed. Prints a line
// for each step, and one for each request whose settlement was confirmed. Arguments: a data folder, or the URL of a database; the folder of
// the media store.
import { hold, settle } from '../../packages/gateway/contract/storage/harness.ts'
import { createDiskBlobs } from '../../packages/gateway/src/media/disk.ts'
import { firstIdAt } from '../../packages/gateway/src/request/ids.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'

const [place = '', media = ''] = process.argv.slice(2)
const storage = await (place.startsWith('postgres') ? openPostgres(place) : openSqlite(place))
storage.archive.attach(async () => createDiskBlobs(media))
const joined = await storage.ledger.apply({ verb: 'join', nodeId: 1, config: 'test', takeover: true })
const node = { nodeId: 1, epoch: Number(joined.amount) }
const [account] = await storage.accounts.list()
const [key] = await storage.keys.list(account?.id ?? 0n)
const wallet = { account: account?.id ?? 0n, key: key?.id ?? 0n, email: '' }

let isArchived = false
let id = firstIdAt(Date.now())
async function charge(): Promise<void> {
  while (!isArchived) {
    const ids = Array.from({ length: 20 }, () => ++id)
    await Promise.all(ids.map((each) => storage.ledger.apply(hold(each, wallet, node))))
    await Promise.all(ids.map((each) => storage.ledger.apply(settle(each, node, 3n))))
    process.stdout.write(ids.map((each) => `settled ${each}\n`).join(''))
    await storage.ledger.apply({ verb: 'renew', ...node, config: 'test' })
  }
}

const charging = charge()
for await (const _ of storage.months.seal()) process.stdout.write('step\n')
for await (const _ of storage.archive.archive(1, 0, 1)) process.stdout.write('step\n')
isArchived = true
await charging
await storage.close()
