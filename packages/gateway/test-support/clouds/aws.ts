// STS, instance metadata, and the endpoints of ECS tasks and EKS pods.
import { readFileSync } from 'node:fs'
import type { CloudRequest, CloudWorld } from './clouds.ts'
import { type KnownKeys, type SignedRequest, signerOf } from './signature.ts'

type Role = {
  /** Access keys that may assume it. */
  trusts?: readonly string[]
  externalId?: string
  /** The subject of tokens of the cluster that may assume it. */
  subject?: string
}

const ACTIONS = ['AssumeRole', 'AssumeRoleWithWebIdentity']

export function awsServices({ clock, cluster }: CloudWorld) {
  let made = 0
  const keys = new Map<string, KnownKeys>([
    ['AKIDEXAMPLEEXAMPLE1', { secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }],
  ])
  const roles = new Map<string, Role>()
  const sessions = new Map<string, { region: string | undefined; name: string | null; seconds: string | null }>()
  const state = {
    /** Seconds that given keys are valid. */
    life: 3600,
    instance: { version: 2, role: 'gateway-instance', region: 'eu-west-1' },
    /** What tasks and pods send as authorization: a text, or the file that it must be in now. */
    container: { token: undefined as string | undefined, file: undefined as string | undefined },
  }
  const imdsTokens = new Set<string>()

  function issue() {
    const [accessKey, secretKey, sessionToken] = [
      `ASIAEXAMPLE${++made}XX`,
      `secret/of+${made}`,
      `session+token/${made}==`,
    ]
    const expiresAt = clock.now + state.life * 1000
    keys.set(accessKey, { secretKey, sessionToken, expiresAt })
    return { accessKey, secretKey, sessionToken, expiration: new Date(expiresAt).toISOString() }
  }

  const asJson = (more: object = {}) => {
    const { accessKey, secretKey, sessionToken, expiration } = issue()
    return Response.json({
      ...more,
      AccessKeyId: accessKey,
      SecretAccessKey: secretKey,
      Token: sessionToken,
      Expiration: expiration,
    })
  }

  const signer = (request: SignedRequest) => signerOf(request, { service: 'sts', now: clock.now, keys })

  async function sts(request: CloudRequest): Promise<Response> {
    const { form } = request
    const [action, arn] = [form.get('Action') ?? '', form.get('RoleArn') ?? '']
    if (form.get('Version') !== '2011-06-15') return rejected(400, 'InvalidAction', 'Could not find operation')
    const role = roles.get(arn)
    const denied = rejected(403, 'AccessDenied', `User is not authorized to perform: sts:${action} on resource: ${arn}`)
    let region: string | undefined
    if (action === 'AssumeRole') {
      const by = signer(request)
      if (Array.isArray(by)) return rejected(403, ...by)
      region = by.region
      const isTrusted = role?.trusts?.includes(by.accessKey) || role?.trusts?.includes('*')
      if (!isTrusted || (form.get('ExternalId') ?? undefined) !== role?.externalId) return denied
    } else {
      if (request.headers.authorization !== undefined) return rejected(400, 'InvalidAction', 'it is not signed')
      const token = form.get('WebIdentityToken') ?? ''
      const found = await cluster.verify(token, 'sts.amazonaws.com').catch((error: Error) => error)
      if (found instanceof Error) return rejected(400, 'InvalidIdentityToken', `${found.message} <${token}>`)
      if (role?.subject === undefined || found.claims.sub !== role.subject) return denied
    }
    sessions.set(arn, { region, name: form.get('RoleSessionName'), seconds: form.get('DurationSeconds') })
    const { accessKey, secretKey, sessionToken, expiration } = issue()
    return xml(
      200,
      `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>
    <AssumedRoleUser><Arn>${escaped(arn)}/s</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${accessKey}</AccessKeyId><SecretAccessKey>${escaped(secretKey)}</SecretAccessKey>
      <SessionToken>${escaped(sessionToken)}</SessionToken><Expiration>${expiration}</Expiration>
    </Credentials></${action}Result></${action}Response>`,
    )
  }

  function instance({ method, path, headers }: CloudRequest): Response {
    const { version, role, region } = state.instance
    if (path === '/latest/api/token') {
      if (version === 1) return new Response('Not Found', { status: 404 })
      if (method !== 'PUT' || !(Number(headers['x-aws-ec2-metadata-token-ttl-seconds']) > 0))
        return new Response('', { status: 400 })
      const token = `imds-token-${imdsTokens.size}==`
      imdsTokens.add(token)
      return new Response(token)
    }
    if (version === 2 && !imdsTokens.has(headers['x-aws-ec2-metadata-token'] ?? ''))
      return new Response('', { status: 401 })
    if (path === '/latest/meta-data/placement/region') return new Response(region)
    const asked = path.replace('/latest/meta-data/iam/security-credentials/', '')
    if (role !== '' && asked === '') return new Response(role)
    return role !== '' && asked === role
      ? asJson({ Code: 'Success', Type: 'AWS-HMAC' })
      : new Response('', { status: 404 })
  }

  function container({ headers }: CloudRequest): Response {
    const { token, file } = state.container
    const wanted = file === undefined ? token : readFileSync(file, 'utf8').trim()
    return headers.authorization === wanted
      ? asJson({ RoleArn: 'arn:aws:iam::1:role/task' })
      : Response.json({ code: 'AccessDenied', message: `bad token ${headers.authorization}` }, { status: 401 })
  }

  return {
    state,
    keys,
    roles,
    sessions,
    signer,
    service(request: CloudRequest) {
      if (ACTIONS.includes(request.form.get('Action') ?? '')) return sts(request)
      if (request.path.startsWith('/latest/')) return instance(request)
      return /^\/v[12]\/credentials/.test(request.path) ? container(request) : undefined
    },
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const xml = (status: number, body: string) => new Response(body, { status, headers: { 'content-type': 'text/xml' } })

const rejected = (status: number, code: string, message: string) =>
  xml(
    status,
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error></ErrorResponse>`,
  )
