// The baseline, a process of its own: the least that a proxy on Bun can do. It reads the body, forwards it and returns the
// response without looking inside; streams are returned as they are.
export {}

const [, , upstream = '', version] = process.argv
const VERSIONS = { 'https/1.1': { protocol: 'http1.1' }, 'https/2': { protocol: 'http2' } } as const
const overTls = version === 'https/1.1' || version === 'https/2' ? VERSIONS[version] : {}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(http) {
    const path = http.url.slice(http.url.indexOf('/', 8))
    const { method, headers } = http
    const reply = await fetch(upstream + path, { method, headers, body: await http.bytes(), ...overTls })
    const answer = { status: reply.status, headers: reply.headers }
    return new Response(/^\/(?:json|vectors)\//.test(path) ? await reply.bytes() : reply.body, answer)
  },
})
console.log(`port ${server.port}`)
