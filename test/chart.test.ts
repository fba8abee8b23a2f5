// The chart, by what Helm made of its examples; exhaustive/deploy/chart.test.ts compares that with Helm itself.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { assemble } from '../packages/gateway/src/config/assemble.ts'
import { STOP_TIMES } from '../packages/gateway/src/process/lifecycle.ts'
import { BUILT_IN } from '../packages/gateway/src/server/config.ts'
import { VARIABLES } from '../packages/gateway/src/server/environment.ts'
import { CHART, EXAMPLES, type Example, type KubernetesObject, objectsIn, originOf } from './support/chart.ts'
import { newDataFolder } from './support/data-folder.ts'
import { blocksOf } from './support/documentation/blocks.ts'
import { type Gateway, startGateway } from './support/gateway/gateway.ts'
import { type Home, newHome, runCommand } from './support/gateway/home.ts'

type Probe = { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold: number }
type Container = {
  image: string
  args: string[]
  env: { name: string; value: string }[]
  volumeMounts: { name: string; mountPath: string }[]
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
}
type Item = { key: string; path: string }
type Volume = { name: string; projected?: { sources: { secret: { name: string; items: Item[] } }[] } }
type PodSpec = {
  terminationGracePeriodSeconds: number
  automountServiceAccountToken: boolean
  securityContext: object
  containers: [Container]
  volumes: Volume[]
}
type Pod = { metadata: { labels: Record<string, string> }; spec: PodSpec }
type Values = { config: string }

const READ = EXAMPLES.map((example) => ({ ...example, objects: objectsIn(readFileSync(example.rendered, 'utf8')) }))
const valuesOf = ({ values }: Example) => parse(readFileSync(values, 'utf8')) as Values

function objectsOf(name: string): readonly KubernetesObject[] {
  const found = READ.find((example) => example.name === name)
  if (!found) throw new Error(`no example ${name}`)
  return found.objects
}
function find<T>(objects: readonly KubernetesObject[], kind: string): T {
  const found = objects.find((object) => object.kind === kind)
  if (!found) throw new Error(`no ${kind}`)
  return found as unknown as T
}
const deployment = (objects: readonly KubernetesObject[]) =>
  find<{ spec: { replicas?: number; strategy: object; selector: object; template: Pod } }>(objects, 'Deployment')
const kinds = (objects: readonly KubernetesObject[]) => objects.map(({ kind }) => kind)

describe.each(READ)('the example $name', (example) => {
  const { objects } = example
  const { template } = deployment(objects).spec
  const [container] = template.spec.containers
  const { config } = assembleConfig(example)

  test('is rendered from the chart as it is (else: TRIVIUM_GOLDEN=write with exhaustive/deploy/chart.test.ts)', () => {
    expect(readFileSync(example.rendered, 'utf8').split('\n')[0]).toBe(originOf(example))
  })

  test('has a configuration without mistakes, which is that of the pod', () => {
    expect(assembleConfig(example).mistakes).toEqual([])
    const map = find<{ data: Record<string, string> }>(objects, 'ConfigMap')
    expect(map.data).toEqual({ 'trivium.yaml': valuesOf(example).config })
  })

  test('sets variables that the program reads', () => {
    const known = [...VARIABLES, 'OTEL_EXPORTER_OTLP_ENDPOINT']
    expect(container.env.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
  })

  test('mounts every file that its variables and its configuration name', () => {
    const named = [
      ...container.env.filter(({ name }) => /_FILE$|_CONFIG$|_DATA$/.test(name)).map(({ value }) => value),
      ...[...valuesOf(example).config.matchAll(/\$\{file:([^}]+)\}/g)].map(([, path = '']) => path),
    ]
    expect(named.length).toBeGreaterThan(1)
    const mounts = container.volumeMounts.map(({ mountPath }) => `${mountPath}/`)
    expect(named.filter((path) => !mounts.some((mount) => path.startsWith(mount)))).toEqual([])
    const secrets = filesOf(template.spec)
    expect(named.filter((path) => path.startsWith('/run/secrets/trivium/')).sort()).toEqual(Object.keys(secrets).sort())
    expect(new Set(container.volumeMounts.map(({ name }) => name))).toEqual(
      new Set(template.spec.volumes.map(({ name }) => name)),
    )
  })

  test('gives the server the time that it takes to stop', () => {
    const { acceptMs, lateMs, readMs, settleMs } = STOP_TIMES
    const cutMs = 500
    const longest = acceptMs + lateMs + (config?.server.drainMs ?? Number.NaN) + readMs + cutMs + settleMs
    expect(template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(longest)
    // The process does not restart while it may wait for locks.
    const { periodSeconds, failureThreshold } = container.startupProbe
    expect(periodSeconds * failureThreshold).toBeGreaterThan(180)
  })

  test('has no rights that it does not need, and is the user of the image', () => {
    const user = Number(/^USER (\d+):\d+$/m.exec(readFileSync(join(CHART, '../Containerfile'), 'utf8'))?.[1])
    for (const spec of [template.spec, find<Pod>(objects, 'Pod').spec]) {
      expect(spec.automountServiceAccountToken).toBe(false)
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: user,
        fsGroup: user,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(spec.containers[0]).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      })
    }
  })

  test('its service has the pods of the server, and not that of the test', () => {
    const { selector } = find<{ spec: { selector: Record<string, string> } }>(objects, 'Service').spec
    const fits = ({ metadata: { labels } }: Pod) =>
      Object.entries(selector).every(([key, value]) => labels[key] === value)
    expect([fits(template), fits(find<Pod>(objects, 'Pod'))]).toEqual([true, false])
    expect(deployment(objects).spec.selector).toEqual({ matchLabels: selector })
  })
})

test('with SQLite there is one pod at a time, and a volume that outlives the release', () => {
  const objects = objectsOf('sqlite')
  expect(deployment(objects).spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  const claim = find<{ metadata: { annotations: object } }>(objects, 'PersistentVolumeClaim')
  expect(claim.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
  expect(kinds(objects)).not.toContain('PodDisruptionBudget')
})

test('with PostgreSQL an upgrade begins with a new pod, and takes no old one before that is ready', () => {
  const rolling = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  expect(deployment(objectsOf('eks')).spec).toMatchObject({ replicas: 2, strategy: rolling })
  const autoscaled = objectsOf('postgresql')
  expect(deployment(autoscaled).spec.strategy).toEqual(rolling)
  expect(deployment(autoscaled).spec.replicas).toBeUndefined()
  expect(kinds(autoscaled)).toEqual(expect.arrayContaining(['HorizontalPodAutoscaler', 'PodDisruptionBudget']))
  expect(kinds(autoscaled)).not.toContain('PersistentVolumeClaim')
})

test('the version of the chart is that of the program', () => {
  const { version } = JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8')) as { version: string }
  expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version })
})

test('the page about clouds shows the examples of clouds as they are', () => {
  const shown = blocksOf('docs/operate/clouds.md').flatMap(({ language, code }) =>
    language === 'yml' ? [`${code}\n`] : [],
  )
  for (const name of ['eks', 'gke', 'aks'])
    expect(shown).toContain(readFileSync(join(CHART, 'examples', `${name}.yaml`), 'utf8'))
})

test('every value has a type in the schema, and every type is one of a value', () => {
  type Schema = { properties?: Record<string, Schema> }
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as object
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Schema
  /** Down to what the schema describes: below that, objects are Kubernetes' own. */
  const paths = ({ properties = {} }: Schema, path = ''): string[] =>
    Object.entries(properties).flatMap(([name, inner]) => [`${path}${name}`, ...paths(inner, `${path}${name}.`)])
  const valueAt = (path: string) =>
    path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], values)
  // Helm gives every chart `global`; of probes, values.yaml has the timing that differs from the default.
  const optional = /^global$|^probes\.\w+\.(initialDelaySeconds|successThreshold)$/
  const missing = paths(schema).filter((path) => valueAt(path) === undefined && !optional.test(path))
  expect(missing).toEqual([])
  expect(Object.keys(values).filter((name) => schema.properties?.[name] === undefined)).toEqual([])
})

describe('a server with the variables and files of a pod', () => {
  let gateway: Gateway
  let home: Home
  const root = newDataFolder('trivium-pod-')
  const objects = objectsOf('postgresql')
  const { spec } = deployment(objects).spec.template
  const [container] = spec.containers
  beforeAll(async () => {
    home = await newHome('postgres')
    const contents: Record<string, string> = {
      DATABASE_URL: home.databaseUrl ?? '',
      TRIVIUM_SECRET: 'the master secret of a pod',
      TRIVIUM_SECRET_OLD: 'the secret that it replaces',
      token: 'a-token-of-at-least-20-characters',
    }
    for (const [path, key] of Object.entries(filesOf(spec))) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), `${contents[key]}\n`)
    }
    const env = Object.fromEntries(
      container.env.map(({ name, value }) => [name, value.startsWith('/') ? join(root, value) : value]),
    )
    mkdirSync(join(root, 'etc/trivium'), { recursive: true })
    const config = `server: { metrics_token: "\${file:${root}/run/secrets/trivium/metrics_token}" }\n`
    writeFileSync(join(root, 'etc/trivium/trivium.yaml'), config)
    // Volumes are open to their group.
    mkdirSync(join(root, 'data'), { mode: 0o777 })
    // What the environment of tests sets otherwise; the address is loopback, and nobody collects traces.
    const own = { DATABASE_URL: '', TRIVIUM_SECRET: '', HOST: '127.0.0.1', PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: '' }
    gateway = await startGateway({ home, env: { ...env, ...own } })
  })
  afterAll(async () => {
    await gateway.stop()
    rmSync(root, { recursive: true, force: true })
  })

  test('answers the probes', async () => {
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(httpGet.port).toBe('http')
      expect((await fetch(`${gateway.url}${httpGet.path}`)).status).toBe(200)
    }
  })

  test('keeps its data in a folder that is closed to others', () => {
    expect((statSync(join(root, 'data/trivium')).mode & 0o777).toString(8)).toBe('700')
  })

  test('says as JSON what it serves', () => {
    const [line = ''] = gateway.output().stdout.split('\n')
    expect(JSON.parse(line)).toMatchObject({ data: join(root, 'data/trivium') })
  })

  test('gives its metrics to whoever has the token', async () => {
    type Endpoint = { path: string; authorization: { type: string } }
    const [endpoint] = find<{ spec: { endpoints: [Endpoint] } }>(objects, 'ServiceMonitor').spec.endpoints
    const headers = {
      'x-forwarded-for': '10.0.0.9',
      authorization: `${endpoint.authorization.type} a-token-of-at-least-20-characters`,
    }
    expect((await fetch(`${gateway.url}${endpoint.path}`, { headers })).status).toBe(200)
    expect((await fetch(`${gateway.url}${endpoint.path}`, { headers: { 'x-forwarded-for': '10.0.0.9' } })).status).toBe(
      403,
    )
  })

  test('is found ready by the command of the test pod, by the name of its host', async () => {
    const [{ args, env }] = find<Pod>(objects, 'Pod').spec.containers
    expect(env.map(({ name }) => name)).toEqual(['HOST', 'PORT'])
    const variables = {
      HOST: 'localhost',
      PORT: new URL(gateway.url).port,
      DATABASE_URL: '',
      TRIVIUM_SECRET: '',
      TRIVIUM_CONFIG: '',
    }
    expect(await runCommand(home, args, variables)).toMatchObject({ code: 0 })
    const closed = await runCommand(home, args, { ...variables, PORT: '1' })
    expect([closed.code, closed.stderr]).toEqual([
      1,
      expect.stringContaining('no server answers at http://localhost:1'),
    ])
  })
})

/** Variables take the place of the files of a pod, which are not there. */
function assembleConfig(example: Example) {
  const source = valuesOf(example).config.replaceAll(/\$\{file:[^}]+\}/g, '$${A_FILE}')
  const names = [...source.matchAll(/\$\{([^}]+)\}/g)].map(([, name = '']) => name)
  const env = Object.fromEntries(names.map((name) => [name, 'a-value-of-at-least-20-characters']))
  return assemble({ source, file: example.values, env }, BUILT_IN)
}

/** The key of a secret, by the path of its file. */
function filesOf({ volumes, containers: [{ volumeMounts }] }: PodSpec): Record<string, string> {
  const files = volumes.flatMap(({ name, projected }) =>
    (projected?.sources ?? []).flatMap(({ secret }) => {
      const path = volumeMounts.find((mount) => mount.name === name)?.mountPath ?? ''
      return secret.items.map((item) => [join(path, item.path), item.key] as const)
    }),
  )
  return Object.fromEntries(files)
}
