// The chart, as Helm 3 and Helm 4 render it and Kubernetes reads it. TRIVIUM_GOLDEN=write writes what test/chart.test.ts reads.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHART, EXAMPLES, type KubernetesObject, objectsIn, originOf } from '../../test/support/chart.ts'
import { HELMS } from '../support/helm.ts'
import { mistakesOf } from '../support/kubernetes.ts'

const POSTGRES = ['database.engine=postgresql', 'database.existingSecret=a', 'masterSecret.existingSecret=b']
const set = (values: readonly string[]) => values.flatMap((value) => ['--set', value])

const folder = mkdtempSync(join(tmpdir(), 'trivium-chart-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('there are both versions of Helm that are in use', () => {
  expect(HELMS.map(({ version }) => version)).toEqual(['v3.17.3', 'v4.1.4'])
})

describe.each(HELMS)('Helm $version', ({ run }) => {
  const template = (...args: string[]) => run('template', 'trivium', CHART, '--namespace', 'gateway', ...args)
  const objectsWith = (...values: string[]): KubernetesObject[] => {
    const { code, stdout, stderr } = template(...set(values))
    expect([code, stderr]).toEqual([0, ''])
    return objectsIn(stdout)
  }

  test('finds nothing wrong with the chart, alone and with each example', () => {
    for (const args of [[], ...EXAMPLES.map(({ values }) => ['--values', values])]) {
      const { code, stdout, stderr } = run('lint', CHART, '--strict', ...args)
      expect([code, stderr, /\[(?:WARNING|ERROR)\]/.test(stdout)]).toEqual([0, '', false])
    }
  })

  test.each([...EXAMPLES])('renders $name as it is in test/fixtures/chart (else: TRIVIUM_GOLDEN=write)', (example) => {
    const { code, stdout, stderr } = template('--values', example.values)
    expect([code, stderr]).toEqual([0, ''])
    const text = `${originOf(example)}\n${stdout}`
    if (process.env.TRIVIUM_GOLDEN === 'write') writeFileSync(example.rendered, text)
    expect(readFileSync(example.rendered, 'utf8')).toBe(text)
  })

  test.each([
    { values: ['database.engine=mysql'], says: 'sqlite' },
    { values: ['databse.engine=sqlite'], says: 'databse' },
    { values: ['config.server=1'], says: 'config' },
    { values: ['replicaCount=many'], says: 'replicaCount' },
    { values: ['cloud.aws.roleArn=trivium'], says: 'roleArn' },
    { values: ['database.engine=postgresql'], says: 'database.existingSecret is missing' },
    { values: POSTGRES.slice(0, 2), says: 'masterSecret.existingSecret is missing' },
    { values: ['database.existingSecret=a'], says: 'set database.engine to postgresql' },
    { values: ['autoscaling.enabled=true'], says: 'autoscaling.enabled needs database.engine postgresql' },
    { values: ['masterSecret.oldKey=old'], says: 'masterSecret.oldKey is a key of' },
    { values: ['config=a', 'existingConfigMap=b'], says: 'config and existingConfigMap are both set' },
    { values: ['metrics.serviceMonitor.enabled=true'], says: 'needs metrics.existingSecret' },
    { values: ['ingress.enabled=true'], says: 'ingress.hosts is empty' },
  ])('rejects $values', ({ values, says }) => {
    const { code, stderr } = template(...set(values))
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(says)])
  })

  test('a changed configuration replaces the pods, and nothing else does', () => {
    const pods = (...values: string[]) => JSON.stringify(ofKind('Deployment', objectsWith(...values)).spec.template)
    expect(pods('config=a: 1')).not.toBe(pods('config=a: 2'))
    expect(pods('config=a: 1')).toBe(
      pods('config=a: 1', 'service.port=80', 'ingress.enabled=true', 'ingress.hosts={x}'),
    )
  })

  test('the configuration arrives as it was written', () => {
    const config = `  a: 0.0000001\n\n  b: "{{ .Values }} \${NAME}" # 12345678901234567890\n`
    const values = join(folder, 'values.yaml')
    writeFileSync(values, `config: ${JSON.stringify(config)}\n`)
    const map = ofKind('ConfigMap', objectsIn(template('--values', values).stdout))
    expect(map.data).toEqual({ 'trivium.yaml': config })
  })

  test('every cloud has its annotations, and what the operator writes wins', () => {
    const annotations = (...values: string[]) => ofKind('ServiceAccount', objectsWith(...values)).metadata.annotations
    expect(annotations()).toBeUndefined()
    const role = 'arn:aws:iam::123456789012:role/trivium'
    expect(annotations(`cloud.aws.roleArn=${role}`)).toEqual({ 'eks.amazonaws.com/role-arn': role })
    const google = 'cloud.google.serviceAccount=a@b.iam.gserviceaccount.com'
    expect(annotations(google)).toEqual({ 'iam.gke.io/gcp-service-account': 'a@b.iam.gserviceaccount.com' })
    expect(annotations('cloud.azure.clientId=a', 'cloud.azure.tenantId=b')).toEqual({
      'azure.workload.identity/client-id': 'a',
      'azure.workload.identity/tenant-id': 'b',
    })
    const own = String.raw`serviceAccount.annotations.iam\.gke\.io/gcp-service-account=c`
    expect(annotations(google, own)).toEqual({ 'iam.gke.io/gcp-service-account': 'c' })
  })
})

test('the notes warn of what is forgotten', () => {
  // Helm 3 asks a cluster before it shows them.
  const notes = (...values: string[]) =>
    HELMS[1]?.run('install', 'trivium', CHART, '--dry-run=client', ...set(values)).stdout.split('NOTES:')[1] ?? ''
  expect(notes()).toContain('helm test trivium')
  expect(notes()).not.toContain('WARNING')
  expect(notes('persistence.enabled=false')).toContain('are lost with the pod')
  expect(notes('ingress.enabled=true', 'ingress.hosts={x}')).toContain('has no server.public_url')
  expect(notes('metrics.existingSecret=a')).toContain('has no server.metrics_token')
})

describe('the schemas of Kubernetes', () => {
  const [helm] = HELMS
  const everything = [
    ...POSTGRES,
    'service.scheme=HTTPS',
    'existingConfigMap=c',
    'metrics.existingSecret=d',
    'metrics.serviceMonitor.enabled=true',
    'initContainers[0].name=e',
    'initContainers[0].image=e',
    'extraContainers[0].name=f',
    'extraContainers[0].image=f',
    'imagePullSecrets={g}',
    'priorityClassName=h',
    'nodeSelector.i=j',
    'tolerations[0].operator=Exists',
    'lifecycle.preStop.sleep.seconds=1',
    'dataVolume.emptyDir.sizeLimit=1Gi',
    'extraEnvFrom[0].configMapRef.name=k',
    'podLabels.l=m',
    'podAnnotations.n=o',
    'commonLabels.p=q',
    'service.annotations.r=s',
    'serviceAccount.annotations.t=u',
    'cloud.azure.clientId=v',
    'extraObjects[0].apiVersion=v1',
    'extraObjects[0].kind=ConfigMap',
    'extraObjects[0].metadata.name=\\{\\{ .Release.Name \\}\\}-w',
  ]

  test('accept every object of every example, and of all other values', async () => {
    const rendered = EXAMPLES.map(({ rendered }) => readFileSync(rendered, 'utf8'))
    const { code, stdout, stderr } = helm?.run('template', 'x', CHART, ...set(everything)) ?? {}
    expect([code, stderr]).toEqual([0, ''])
    const objects = [...rendered, stdout ?? ''].flatMap(objectsIn)
    expect(await mistakesOf(objects)).toEqual([])
    expect([...new Set(objects.map(({ kind }) => kind))].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PersistentVolumeClaim',
      'Pod',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ])
  })

  test('would find a wrong value, an unknown field and an unknown kind', async () => {
    const [service] = objectsIn(
      '{ apiVersion: v1, kind: Service, metadata: { name: a }, spec: { ports: [{ port: b }] } }',
    )
    const [claim] = objectsIn('{ apiVersion: v1, kind: Service, metadata: { name: a }, spec: { prots: [] } }')
    if (!service || !claim) throw new Error('two objects were written')
    expect(await mistakesOf([service])).toContainEqual(expect.stringContaining('port must be integer'))
    expect(await mistakesOf([claim])).toEqual([expect.stringContaining('prots')])
    expect(await mistakesOf([{ ...claim, kind: 'Servus' }])).toContain('v1 has no Servus')
  })
})

type Rendered = {
  metadata: { annotations?: Record<string, string> }
  data: Record<string, string>
  spec: { template: unknown }
}

function ofKind(kind: string, objects: readonly KubernetesObject[]): Rendered {
  const found = objects.find((object) => object.kind === kind)
  if (!found) throw new Error(`no ${kind} was rendered`)
  return found as unknown as Rendered
}
