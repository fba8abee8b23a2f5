// For tests: a process that has a file in the spool and waits to be killed.
import { openSpool } from '../../src/media/spool.ts'

const [, , folder = ''] = process.argv
const handle = (await openSpool(folder, () => 1_000)).open(1n)
const file = await handle.open({ name: 'image', filename: undefined, contentType: undefined })
await file.write(new Uint8Array(10))
process.stdout.write(`${(await file.end()).path}\n`)
setInterval(() => {}, 1_000)
