// Values are counted before a body is parsed, in every dialect and at every size.
import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf } from '../../fixtures/buffer-codec.ts'
import { ask, DIALECTS, type Id } from '../../fixtures/shared/pass-through-requests.ts'
import { RequestError } from '../canonical/reading.ts'

const ADDRESSED = { model: 'm', stream: false }

describe.each(Object.keys(DIALECTS) as Id[])('%s', (id) => {
  const read = (body: string, maxValues?: number) =>
    DIALECTS[id].readRequest(bytesOf(body), bufferCodec, ADDRESSED, maxValues)
  const rejection = (body: string, maxValues?: number): unknown => {
    try {
      return read(body, maxValues).values
    } catch (thrown) {
      return thrown instanceof RequestError ? thrown.info : thrown
    }
  }

  test('the count weighs what a body holds', () => {
    const { values } = read(ask(id))
    expect(read(ask(id, '"x":[1,{"y":[]},"z"]')).values).toBe(values + 5)
  })

  test.each([0, 20_000, 5_000_000])('one value more than allowed is too large (%d bytes of padding)', (padding) => {
    const body = ask(id, `"x":"${'x'.repeat(padding)}","y":[[],[],[]]`)
    const { values } = read(body)
    expect(rejection(body, values)).toBe(values)
    expect(rejection(body, values - 1)).toMatchObject({
      code: 'request_too_large',
      param: 'y',
      message: expect.stringContaining(`more than ${values - 1} JSON values`),
    })
  })

  test('250,000 by default', () => {
    const { values } = read(ask(id, '"x":[]'))
    const filled = (count: number) => ask(id, `"x":[${Array.from({ length: count }, () => '[]').join()}]`)
    expect(rejection(filled(250_000 - values))).toBe(250_000)
    expect(rejection(filled(250_001 - values))).toMatchObject({ code: 'request_too_large' })
  })
})
