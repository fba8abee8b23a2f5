// A name that leads to a metadata service: the connection is closed before anything is sent.
import { expect, test } from 'bun:test'
import { Cancel } from '../cancel.ts'
import { createHttpClient } from './client.ts'

test('nothing is sent to an address that must not be reached, whatever its name', async () => {
  let received = 0
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        received += bytes.length
        socket.write(answer)
      },
    },
  })
  const asked: string[] = []
  const client = (isForbidden: (address: string) => boolean) =>
    createHttpClient(undefined, undefined, undefined, isForbidden)
  const send = (isForbidden: boolean) =>
    client((address) => {
      asked.push(address)
      return isForbidden
    })(`http://localhost:${server.port}`, [Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')], new Cancel())
  const error = await send(true).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'MetadataHost' })
  expect(received).toBe(0)
  // The same request arrives where it may.
  expect((await send(false)).status).toBe(200)
  expect(received).toBeGreaterThan(0)
  expect(asked).toEqual(['127.0.0.1', '127.0.0.1'])
  server.stop(true)
})
