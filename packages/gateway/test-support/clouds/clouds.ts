// One server on loopback that stands in for the services of the three clouds that give out credentials: each request is checked as its
// vendor does, by libraries that are not the gateway's. It misbehaves by script.
import { awsServices } from './aws.ts'
import { entraServices } from './entra.ts'
import { googleServices } from './google.ts'
import { createIssuer, type Issuer } from './issuer.ts'

export type CloudRequest = {
  method: string
  url: string
  path: string
  headers: Record<string, string>
  body: string
  form: URLSearchParams
}
/** undefined: the request is for another service. */
export type CloudService = (request: CloudRequest) => Promise<Response | undefined> | Response | undefined
/** undefined: answers as it should. */
export type Misbehaviour = (request: CloudRequest) => Promise<Response | undefined> | Response | undefined

export type CloudWorld = {
  /** Milliseconds since 1970: the clock of the clouds. */
  clock: { now: number }
  /** The cluster that the gateway runs in. */
  cluster: Issuer
}

export type Clouds = Awaited<ReturnType<typeof startClouds>>

/** Hosts that it stands in for, as the origins of URLs. */
const HOSTS = [
  'http://169.254.169.254',
  'http://[fd00:ec2::254]',
  'http://169.254.170.2',
  'http://169.254.170.23',
  'http://169.254.129.2:8081',
  'https://sts.amazonaws.com',
  'https://sts.eu-west-1.amazonaws.com',
  'https://sts.cn-north-1.amazonaws.com.cn',
  'https://oauth2.googleapis.com',
  'https://sts.googleapis.com',
  'https://iamcredentials.googleapis.com',
  'https://login.microsoftonline.com',
  'https://login.microsoftonline.us',
]

export async function startClouds(clock: { now: number }) {
  const world: CloudWorld = { clock, cluster: await createIssuer('https://oidc.cluster.example/id/7', clock) }
  const [aws, google, entra] = [awsServices(world), await googleServices(world), entraServices(world)]
  const requests: CloudRequest[] = []
  const running = new Set<CloudRequest>()
  /** By request: those that were answered at the time when it arrived, itself included. */
  const atOnce = new Map<CloudRequest, CloudRequest[]>()
  const script: Misbehaviour[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(received) {
      const request = await read(received)
      requests.push(request)
      running.add(request)
      atOnce.set(request, [...running])
      const answer =
        (await script.shift()?.(request)) ??
        (await aws.service(request)) ??
        (await google.service(request, aws.signer)) ??
        (await entra.service(request)) ??
        Response.json({ message: 'nothing is served here' }, { status: 404 })
      running.delete(request)
      if (!answer.headers.has('date')) answer.headers.set('date', new Date(clock.now).toUTCString())
      return answer
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  return {
    ...world,
    aws,
    google,
    entra,
    origin,
    requests,
    standIns: new Map(HOSTS.map((host) => [host, origin])),
    mostAtOnce: (isCounted: (request: CloudRequest) => boolean) =>
      Math.max(0, ...Array.from(atOnce.values(), (each) => each.filter(isCounted).length)),
    /** Each of the next requests meets one of them. */
    next: (...misbehaviours: Misbehaviour[]) => void script.push(...misbehaviours),
    /** What the script has left is not played. */
    forget: () => void script.splice(0),
    stop: () => server.stop(true),
  }
}

async function read(received: Request): Promise<CloudRequest> {
  const url = new URL(received.url)
  const body = await received.text()
  const headers = received.headers.toJSON() as Record<string, string>
  return {
    method: received.method,
    url: received.url,
    path: url.pathname,
    headers,
    body,
    form: new URLSearchParams(body),
  }
}

export const asItShould: Misbehaviour = () => undefined
/** The answer is late. */
export const isSlow: Misbehaviour = () => Bun.sleep(20).then(() => undefined)
/** Never answers. */
export const hangs: Misbehaviour = () => new Promise(() => {})
export const fails =
  (status: number, body = ''): Misbehaviour =>
  () =>
    new Response(body, { status })
export const says =
  (body: string, headers: Record<string, string> = {}): Misbehaviour =>
  () =>
    new Response(body, { headers })
export const isHuge: Misbehaviour = () => new Response('x'.repeat(70_000))
/** As long as the client listens. */
export const neverEnds: Misbehaviour = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(8_192)) }))
export const redirects: Misbehaviour = ({ url }) => Response.redirect(url, 307)
/** The beginning of an answer, and no more. */
export const stalls: Misbehaviour = () =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"access_token":')) }))
