// A host that neither accepts nor rejects connections.
import { ptr } from 'bun:ffi'
import { expect, test } from 'bun:test'
import { Cancel } from '../cancel.ts'
import { openLibc } from '../system/libc.ts'
import { createHttpClient } from './client.ts'

const [AF_INET, SOCK_STREAM] = [2, 1]
const libc = openLibc({
  socket: { args: ['int', 'int', 'int'], returns: 'int' },
  bind: { args: ['int', 'ptr', 'u32'], returns: 'int' },
  listen: { args: ['int', 'int'], returns: 'int' },
  getsockname: { args: ['int', 'ptr', 'ptr'], returns: 'int' },
  close: { args: ['int'], returns: 'int' },
})

/** Listens with a full backlog and accepts nothing. */
async function silentPort() {
  if (!libc) throw new Error('there is no C library here')
  const address = Buffer.alloc(16)
  address.writeUInt16LE(AF_INET, 0)
  address.set([127, 0, 0, 1], 4)
  const listener = libc.socket(AF_INET, SOCK_STREAM, 0)
  libc.bind(listener, ptr(address), address.length)
  libc.listen(listener, 0)
  libc.getsockname(listener, ptr(address), ptr(new Uint32Array([address.length])))
  const port = address.readUInt16BE(2)
  const first = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
  return {
    port,
    stop() {
      first.terminate()
      libc.close(listener)
    },
  }
}

test('connecting times out with an error that says that nothing was sent', async () => {
  const { port, stop } = await silentPort()
  const http1 = createHttpClient(undefined, 200)
  const request = [Buffer.from('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')]
  const outcome = await Promise.race([
    http1(`http://127.0.0.1:${port}`, request, new Cancel()).then(
      () => 'answered',
      ({ code }) => code,
    ),
    Bun.sleep(30_000).then(() => 'waits'),
  ])
  stop()
  expect(outcome).toBe('ConnectTimeout')
})
