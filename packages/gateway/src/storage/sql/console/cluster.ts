// Nodes and the runs of background jobs, on both engines.
import { DEAD_AFTER_MS } from '../../../money/book.ts'
import { type JobRun, type ListedJob, type ListedNode, type LiveNode, type NodeState, toJob } from '../../nodes.ts'
import { checkText } from '../guard.ts'
import { flag, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, type Statement, statement } from '../statements.ts'

export const clusterOver = (connection: Connection) => ({
  nodes: nodesOver(connection),
  /** Background jobs, once for all nodes. */
  jobRuns: jobRunsOver(connection),
})

const nodesOver = ({ db, runner, clock }: Connection) => ({
  /** Nodes whose lease has not expired, each with the fingerprint of its configuration. */
  async live(): Promise<LiveNode[]> {
    const rows = await runner.readLedger(
      statement(liveNodes(db, clock()).select(['node.node_id', 'node.config']).orderBy('node.node_id')),
    )
    return rows.map(({ node_id, config }) => ({ nodeId: Number(node_id), config: String(config) }))
  },
  /** The same with all that is known of them. */
  async list(): Promise<ListedNode[]> {
    const query = liveNodes(db, clock())
      .leftJoin('node_state', (join) =>
        join.onRef('node_state.node_id', '=', 'node.node_id').onRef('node_state.epoch', '=', 'node.epoch'),
      )
      .select(['node.node_id', 'node.epoch', 'node.renewed_at', 'node.config'])
      .select(['version', 'started_at', 'revision', 'ready', 'faults'])
    return (await runner.readLedger(statement(query.orderBy('node.node_id')))).map(toNode)
  },
  async report(
    { nodeId, epoch }: { nodeId: number; epoch: number },
    { version, startedAt, revision, ready, faults }: NodeState,
  ): Promise<void> {
    const state = {
      epoch,
      version: checkText('version', version),
      started_at: startedAt,
      revision,
      ready: ready ? 1 : 0,
      faults: checkText('faults', JSON.stringify(faults)),
      reported_at: clock(),
    }
    const insert = db.insertInto('node_state').values({ node_id: nodeId, ...state })
    await runner.write([statement(insert.onConflict((conflict) => conflict.column('node_id').doUpdateSet(state)))])
  },
})

const liveNodes = (db: Database, now: number) => db.selectFrom('node').where('renewed_at', '>', now - DEAD_AFTER_MS)

const toNode = (row: Row): ListedNode => ({
  nodeId: small(row.node_id),
  epoch: small(row.epoch),
  config: text(row.config),
  renewedAt: small(row.renewed_at),
  state: optional(row.version, (version) => ({
    version: text(version),
    startedAt: small(row.started_at),
    revision: small(row.revision),
    ready: flag(row.ready),
    faults: JSON.parse(text(row.faults)) as string[],
  })),
})

const jobRunsOver = ({ db, runner }: Connection) => ({
  /** A run that began before the one that is known changes nothing. */
  async put(nodeId: number, runs: readonly JobRun[]): Promise<void> {
    if (runs.length > 0) await runner.write(runs.map((run) => putRun(db, nodeId, run)))
  },
  /** By name. */
  async list(): Promise<ListedJob[]> {
    return (await runner.read(statement(db.selectFrom('job_run').selectAll().orderBy('name')))).map(toJob)
  },
})

function putRun(db: Database, nodeId: number, run: JobRun): Statement {
  const { name, scope, intervalMs, beganAt, durationMs, nextAt, error } = run
  const last = {
    scope,
    interval_ms: intervalMs ?? null,
    node_id: nodeId,
    began_at: beganAt,
    duration_ms: durationMs,
    next_at: nextAt,
    is_failing: error === undefined ? 0 : 1,
  }
  const failure = error === undefined ? {} : { error: checkText('error', error), failed_at: beganAt }
  const none = { error: null, failed_at: null }
  return statement(
    db
      .insertInto('job_run')
      .values({ name: checkText('name', name), ...last, ...none, ...failure })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ ...last, ...failure })
          .where('job_run.began_at', '<=', beganAt),
      ),
  )
}
